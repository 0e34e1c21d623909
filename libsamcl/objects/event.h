// Virtual events. Every enqueued command has an Event, handed to the program or not; the Graph (graph.h) decides when
// its command is planned and when it has ended.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/small_vector.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/objects/command.h"
#include "libsamcl/objects/object.h"

namespace samcl {

class Context;
class Event;
class Planner;
class Queue;

template <>
struct HandleTraits<Event> {
  static constexpr ObjectKind kKind = ObjectKind::event;
  using Api = cl_event;
};

class Event : public Object<Event>, public engine::Owner {
 public:
  Event(std::shared_ptr<Context> context, std::shared_ptr<Queue> queue, cl_command_type type);
  ~Event();

  const std::shared_ptr<Context> context;
  const std::shared_ptr<Queue> queue;  // nullptr for user events
  const cl_command_type type;
  uint32_t number = 0;  // in the trace; 0: it has none (yet). Set when the command starts

  // The program has its handle, and may ask when it ended. Set before the command is submitted.
  bool observed = false;
  // It stands for commands of which this is the first: it began when that one did. Set likewise.
  std::shared_ptr<Event> first;

  // CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error.
  cl_int status() const { return status_.load(std::memory_order_acquire); }
  bool ended() const { return status() <= CL_COMPLETE; }

  // Blocks until the command ended; its final status.
  cl_int wait() const;

  // The command enters its queue.
  void set_queued();
  // The command began to execute on a device, at that time or now; the first call counts. It is CL_RUNNING from then
  // on, or once it is free: it may begin before what it waits for has been heard to end.
  void set_running(cl_ulong at);
  void set_running();
  // All that the command waits for has ended. Under the graph's lock.
  void set_free();
  // A part of it ended on a device at that time: it ends no earlier, and that is its end unless something else comes
  // later. For commands that do not know it: when Graph::finish() was called.
  void note_end(cl_ulong at);

  // For user events: true for the first caller, who alone may end it with Graph::finish().
  bool claim_user_status();

  // Whether the program has yet to end a user event that it made: then commands may wait for the program.
  static bool any_user_event_is_open();

  // ns on the host's monotonic clock; param is CL_PROFILING_COMMAND_*. 0 if that has not happened yet.
  cl_ulong time(cl_profiling_info param) const;

  // The program looks whether it has ended, or wants to be told: then its end is to be heard of at once.
  void watch();

  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
  // Calls back when the status reaches `at`, on the context's callback thread; at once if it is past.
  void add_callback(cl_int at, Callback callback, void* user_data);

 private:
  friend class Graph;
  struct Dependent {
    std::shared_ptr<Event> event;
    bool passes_errors;  // from an event wait list, not from a queue's order
  };
  struct PendingCallback {
    cl_int at;
    Callback function;
    void* user_data;
  };

  // Whether anybody can ask when what happened, before it has ended.
  bool is_seen() const;
  void set_status(cl_int status);
  bool advance(cl_int status);
  void tell_running();

  std::atomic<cl_int> status_{CL_QUEUED};
  std::atomic<bool> user_status_claimed_{false};
  std::atomic<bool> began_{false};
  std::atomic<bool> free_{false};
  std::array<std::atomic<cl_ulong>, 4> times_{};  // queued, submitted, started, ended
  std::atomic<cl_ulong> followed_until_{0};       // what it followed ended then: it began no earlier
  std::mutex callbacks_mutex_;                    // guards callbacks_; nothing else is locked under it
  std::vector<PendingCallback> callbacks_;

  // Guarded by the graph's lock.
  std::shared_ptr<Command> command_;
  SmallVector<Dependent, 1> dependents_;
  unsigned unmet_ = 0;      // dependencies that have not ended
  unsigned unplanned_ = 0;  // of these, those that are not planned
  bool planned_ = false;
  const Planner* planning_ = nullptr;  // while it is being planned
  size_t open_ = 0;                    // operations that have not ended
  cl_int error_ = CL_SUCCESS;          // the first of these
  std::optional<cl_int> result_;       // it is over, but something it waits for is not
  cl_int inherited_ = CL_COMPLETE;     // error of an event in the wait list
};

}  // namespace samcl
