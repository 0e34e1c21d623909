// One real device inside one virtual context: its own real context and queues, and the thread that works for
// it; and how bytes move between it and host memory.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "libsamcl/coherence/image_layout.h"
#include "libsamcl/lease/lease.h"
#include "libsamcl/runtime/trace.h"
#include "libsamcl/runtime/worker.h"

namespace samcl {

// What a device did for a kernel or for the whole program; bytes and ns. Added to from any thread.
constexpr unsigned kMaxRealDevices = 30;

struct Traffic {
  std::atomic<uint64_t> uploaded_bytes{0}, downloaded_bytes{0}, copied_bytes{0};
  std::atomic<uint64_t> upload_ns{0}, download_ns{0};
};

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

  // Work-groups of that many work-items that keep all of the device busy: fewer take it no less time.
  uint64_t groups_at_once(uint64_t work_items) const;

  cl_context context() const { return context_; }
  // In order; used by the worker's jobs only.
  cl_command_queue compute_queue() const { return compute_; }

  // Blocking moves; any thread. With a manager they hold the device's PCIe link and go in chunks, between
  // which a more urgent task may take it. They return the driver's code. image: nullptr for buffers; else what the
  // bytes of a packed image are, whole pixels of which move.
  cl_int upload(cl_mem to, uint64_t offset, uint64_t bytes, const void* from, Traffic& traffic,
                const ImageLayout* image = nullptr);
  cl_int download(cl_mem from, uint64_t offset, uint64_t bytes, void* to, Traffic& traffic,
                  const ImageLayout* image = nullptr);
  cl_int fill(cl_mem to, uint64_t offset, uint64_t bytes, const void* pattern, size_t pattern_size);
  cl_int copy(cl_mem from, cl_mem to, uint64_t from_offset, uint64_t to_offset, uint64_t bytes, Traffic& traffic);

  // Runs `enqueue(queue, &event)` on the transfer queue and waits for its event. For commands without a
  // method above (rectangles, images). Any thread.
  template <typename Enqueue>
  cl_int transfer(Enqueue enqueue) {
    std::lock_guard one_at_a_time(transfer_mutex_);
    cl_event event = nullptr;
    cl_int error = enqueue(transfer_, &event);
    return error == CL_SUCCESS ? wait_for(event) : error;
  }

  // Waits for a real event and releases it; its error if it failed. Any thread.
  cl_int wait_for(cl_event event);

  // The thread that launches kernels here.
  Worker& worker() { return *worker_; }

  // When a kernel ran: ns of the host's clock.
  struct Run {
    uint64_t enqueued = 0, began = 0, ended = 0;
  };
  // For kernels that run while the worker goes on, in the order in which they were enqueued. A thread of its own calls
  // `begins`, if given, when one begins to run, as far as can be told, and `ends` with its status. Without a real event, which
  // costs the driver some time, several that follow each other end together. For the worker, or who acts in its place.
  void await(cl_event event, std::function<void(const Run&)> begins, std::function<void(const Run&, cl_int)> ends);
  // Before a kernel with an event is enqueued, or those without one before it would end no earlier than it does.
  void separate_awaited();
  // Waits at most `milliseconds` until nothing of the above runs; false if that takes longer.
  bool drain(int milliseconds);
  // So that threads see Worker::end_threads_when_idle().
  void wake_threads();

 private:
  // Calls move(offset, bytes) under the link's lease for the whole or, if managed, chunk by chunk.
  template <typename Move>
  cl_int in_chunks(trace::Activity activity, uint64_t bytes, Move move);

  const uint64_t units_;
  const uint64_t work_items_at_once_;  // of a unit; 0: it runs one work-group after another
  cl_context context_ = nullptr;
  cl_command_queue compute_ = nullptr;
  cl_command_queue transfer_ = nullptr;
  // Held from a transfer's enqueueing to its end: the queue is in order anyway, and PoCL's basic devices
  // deadlock if two threads use one queue at once.
  std::mutex transfer_mutex_;
  std::unique_ptr<Worker> worker_;

  // Kernels that run, or are to, on the compute queue.
  struct Awaited {
    cl_event event;
    Run run;
    std::function<void(const Run&)> begins;
    std::function<void(const Run&, cl_int)> ends;
  };
  // Some that end together, the last one with an event.
  struct Batch {
    std::vector<Awaited> kernels;
    cl_int status = CL_SUCCESS;
  };
  void end_all();
  Batch next_awaited();
  cl_int mark(Awaited& last);

  std::mutex awaited_mutex_;
  std::deque<Awaited> awaited_;    // guarded by it
  bool ending_ = false;            // likewise: ender_ is to look at awaited_, or does
  uint64_t last_ended_ns_ = 0;     // used by ender_ alone
  std::unique_ptr<Worker> ender_;  // waits for kernels
};

}  // namespace samcl
