// One real device inside one virtual context: its own real context and queues, the threads that work for it, and how
// bytes move between it and host memory.
#pragma once

#include <CL/cl.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libsamcl/coherence/image_layout.h"
#include "libsamcl/coherence/rectangle.h"
#include "libsamcl/device/traffic.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/lease/lease.h"
#include "libsamcl/runtime/trace.h"
#include "libsamcl/runtime/worker.h"
#include "libsamcl/transfer/pinned_ring.h"

namespace samcl {

constexpr unsigned kMaxRealDevices = 30;

// The share of the manager's resources that a real device stands for; client is nullptr when unmanaged.
struct LeaseTarget {
  lease::Client* client = nullptr;
  uint32_t index = 0;
};

class RealDevice {
 public:
  // Creates the real context and queues. On failure *error is the driver's code and the object is unusable.
  // index: position in the virtual device.
  RealDevice(unsigned index, cl_device_id id, const cl_context_properties* properties, LeaseTarget lease,
             cl_int* error);
  ~RealDevice();
  RealDevice(const RealDevice&) = delete;
  RealDevice& operator=(const RealDevice&) = delete;

  const unsigned index;
  const cl_device_id id;
  const LeaseTarget lease;
  const bool computes_in_caller;  // see driver::computes_in_caller()

  // Whether its compute lane is the driver's own queue, to which operations are given without waiting; else a thread
  // does one after another: where a manager grants the device, or the driver computes in the calling thread.
  bool is_asynchronous() const { return !lease.client && !computes_in_caller; }

  // Work-groups of that many work-items that keep all of the device busy: fewer take it no less time.
  uint64_t groups_at_once(uint64_t work_items) const;

  cl_context context() const { return context_; }

  // The real in-order queue behind a lane. Held from enqueueing to the end by who waits for what he enqueues: PoCL's
  // basic devices deadlock if two threads use one queue at once.
  struct Queue {
    cl_command_queue real = nullptr;
    std::mutex mutex;
    std::unique_ptr<PinnedRing> ring;  // of a transfer lane; nullptr if the driver's own way is as fast
  };
  Queue& queue(engine::LaneKind lane) { return queues_[index_of(lane)]; }
  cl_command_queue compute_queue() { return queue(engine::LaneKind::compute).real; }

  // Blocking moves on a lane's queue; any thread. With a manager they hold the device's PCIe link and go in chunks,
  // between which a more urgent task may take it. They return the driver's code. image: nullptr for buffers; else what
  // the bytes of a packed image are, whole pixels of which move.
  // is_locked: the host memory is, and needs no pinned chunks.
  cl_int upload(engine::LaneKind lane, cl_mem to, Range range, const std::byte* from, Traffic& traffic,
                const ImageLayout* image = nullptr, bool is_locked = false);
  cl_int download(engine::LaneKind lane, cl_mem from, Range range, std::byte* to, Traffic& traffic,
                  const ImageLayout* image = nullptr, bool is_locked = false);

  // Rows of equal shape in device and host memory.
  cl_int upload_rows(engine::LaneKind lane, cl_mem to, const Rectangle& rows, const std::byte* from,
                     const Rectangle& host, Traffic& traffic);
  cl_int download_rows(engine::LaneKind lane, cl_mem from, const Rectangle& rows, std::byte* to, const Rectangle& host,
                       Traffic& traffic);

  // Runs `enqueue(queue, &event)` on the lane's queue and waits for its event. For commands without a method above.
  template <typename Enqueue>
  cl_int run(engine::LaneKind lane, Enqueue enqueue) {
    Queue& on = queue(lane);
    std::lock_guard one_at_a_time(on.mutex);
    cl_event event = nullptr;
    cl_int error = enqueue(on.real, &event);
    return error == CL_SUCCESS && event ? wait_for(event) : error;
  }
  // The same while its link is ours.
  template <typename Enqueue>
  cl_int run_over_link(engine::LaneKind lane, trace::Activity activity, uint64_t bytes, Enqueue enqueue) {
    lease::Lease link(this->lease.client, lease::ResourceKind::pcie, this->lease.index);
    const trace::Span span(activity, index, bytes);
    return run(lane, enqueue);
  }

  // Waits for a real event and releases it; its error if it failed. computed: how long it ran, as the device tells, if it
  // does. Any thread.
  cl_int wait_for(cl_event event, uint64_t* computed = nullptr);

  // The thread of a lane. That of the compute lane only works where the device is not asynchronous.
  Worker& worker(engine::LaneKind lane) { return *workers_[index_of(lane)]; }

  // When a kernel ran: ns of the host's clock.
  struct Run {
    uint64_t enqueued = 0, began = 0, ended = 0;
    uint64_t computed = 0;  // as the device itself tells; 0: it does not
  };
  // Who hears of what runs while nobody waits for it. On a thread of the device's own, without locks.
  class Listener {
   public:
    struct Ended {
      engine::NodePtr node;
      Run run;
    };
    virtual ~Listener() = default;
    // It begins to run, as far as can be told. Only of nodes that are observed.
    virtual void began(const engine::Node& node, const Run& run) = 0;
    // They have ended, in this order; all with this status.
    virtual void ended(RealDevice& device, std::span<const Ended> ended, cl_int status) = 0;
  };
  // For what was given to the compute queue and runs while nobody waits for it, in the order in which it was enqueued.
  // With a real event, which costs the driver some time, its end is heard of at once. Without one several that follow
  // each other end together, and it may be heard of up to kLongestSilence later, unless hurry() is called: that takes
  // the driver's time less often. Under the context's lock.
  void await(cl_event event, engine::NodePtr node, std::shared_ptr<Listener> listener);
  static constexpr std::chrono::microseconds kLongestSilence{200};
  // Somebody waits for what was given to await() by now; for all that will be, until he calls stop_hurrying(). Any thread.
  void hurry();
  void start_hurrying();
  void stop_hurrying();
  // Before a kernel with an event is enqueued, or those without one before it would end no earlier than it does.
  void separate_awaited();
  // Waits at most `milliseconds` until nothing of the above runs; false if that takes longer.
  bool drain(int milliseconds);
  // So that threads see Worker::end_threads_when_idle().
  void wake_threads();

 private:
  PinnedRing* ring_for(engine::LaneKind lane, uint64_t bytes, bool goes_directly);

  static constexpr size_t kLanes = 3;
  static size_t index_of(engine::LaneKind lane) { return static_cast<size_t>(lane); }

  // Calls move(queue, offset, bytes) under the link's lease for the whole or, if managed, chunk by chunk.
  template <typename Move>
  cl_int in_chunks(engine::LaneKind lane, trace::Activity activity, uint64_t bytes, Move move);

  const uint64_t units_;
  const uint64_t work_items_at_once_;  // of a unit; 0: it runs one work-group after another
  cl_context context_ = nullptr;
  std::array<Queue, kLanes> queues_;
  std::array<std::unique_ptr<Worker>, kLanes> workers_;

  // What runs, or is to, on the compute queue.
  struct Awaited {
    cl_event event;
    Listener::Ended node;
    std::shared_ptr<Listener> listener;
  };
  // Some that end together, the last one with an event.
  struct Batch {
    std::vector<Listener::Ended> nodes;
    cl_event event = nullptr;
    std::shared_ptr<Listener> listener;
    cl_int status = CL_SUCCESS;
  };
  void end_all();
  Batch next_awaited();
  cl_int mark(cl_event& event);

  std::mutex awaited_mutex_;
  std::condition_variable awaited_changed_;  // one came with an event, or many are there, or hurry() was called
  std::deque<Awaited> awaited_;    // guarded by the mutex
  size_t with_event_ = 0;          // of these; likewise
  bool ending_ = false;            // ender_ is to look at awaited_, or does; likewise
  bool hurries_ = false;           // likewise
  unsigned waiting_ = 0;           // likewise
  uint64_t last_ended_ns_ = 0;     // used by ender_ alone
  std::unique_ptr<Worker> ender_;  // waits for kernels
};

}  // namespace samcl
