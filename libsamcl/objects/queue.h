// Virtual command queues. A queue owns no thread, and a real queue only for commands on semaphores: it says which
// commands a new one comes after.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "libsamcl/objects/event.h"
#include "libsamcl/objects/event_use.h"
#include "libsamcl/objects/homes.h"
#include "libsamcl/objects/object.h"
#include "libsamcl/objects/strands.h"

namespace samcl {

template <>
struct HandleTraits<Queue> {
  using Api = cl_command_queue;
};

// How a command stands to the others of an out-of-order queue.
enum class Order {
  ordinary,  // after the last barrier
  marker,    // without a wait list: after everything before it
  barrier,   // as a marker, and everything later comes after it
};

class Queue : public Object<Queue> {
 public:
  Queue(std::shared_ptr<Context> context, cl_device_id device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> properties_array);
  ~Queue();

  const std::shared_ptr<Context> context;
  const cl_device_id device;  // the virtual device, or a part of it, which is the driver's
  const std::vector<cl_queue_properties> properties_array;  // as given, for CL_QUEUE_PROPERTIES_ARRAY

  cl_command_queue_properties properties() const { return properties_.load(std::memory_order_relaxed); }
  bool in_order() const { return !(properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }
  // Whether times are told of the commands that come now; see Event::has_times.
  bool profiling() const { return properties() & CL_QUEUE_PROFILING_ENABLE; }

  // Of launches whose times the program cannot ask for.
  EventUse event_use;

  // Under the graph's lock.
  HomeUse& home_use() { return home_use_; }

  // A real queue of the first device, in order or not as this one is, for those commands only that wait for semaphores
  // or signal them: what waits there holds up nothing else. Made by the first call; nullptr: *error is the driver's.
  cl_command_queue for_semaphores(cl_int* error);

 private:
  friend class Graph;  // calls these under its lock, which guards what is below
  SmallVector<std::shared_ptr<Event>, 4> enter(const std::shared_ptr<Event>& event, Order order, bool has_wait_list);
  void ended(const Event& event);
  std::vector<std::shared_ptr<Event>> outstanding() const;
  // Whether its order is as after that marker or barrier, or has been made so, though it was not entered.
  bool is_ordered(Order order);
  // Of what is in order: whether that is the last.
  bool waits_only_for(const Event& event) const;
  // For the commands that come.
  void change(cl_command_queue_properties properties);

  void note_profiling() const;

  std::atomic<cl_command_queue_properties> properties_;
  // Events hold their queue and are held by it until they end.
  StrandUse strand_use_;
  HomeUse home_use_;
  std::weak_ptr<Event> last_planned_;  // of its commands
  std::shared_ptr<Event> last_;        // in order: the last command; else the last barrier
  // Out of order: what has not ended since the last marker or barrier that waits for everything, and that one itself.
  // Everything entered so far has ended when these have.
  std::unordered_set<std::shared_ptr<Event>> latest_;

  std::mutex semaphores_mutex_;  // guards the next; nothing of ours is locked under it
  cl_command_queue for_semaphores_ = nullptr;
};

}  // namespace samcl
