// One real device inside one virtual context: its real context and queues, the threads that work for it, and how
// bytes move between it and host memory.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/coherence/image_layout.h"
#include "libsamcl/device/completion_queue.h"
#include "libsamcl/device/compute_queues.h"
#include "libsamcl/device/host_transfer.h"
#include "libsamcl/device/pace.h"
#include "libsamcl/device/pinned_place.h"
#include "libsamcl/device/submission_queue.h"
#include "libsamcl/device/uploads_beside.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/lease/lease.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/threads/worker.h"
#include "libsamcl/transfer/pinned_ring.h"

namespace samcl {

class OneContext;
class RunAhead;

// The share of the manager's resources that a real device stands for; client is nullptr when unmanaged.
struct LeaseTarget {
  lease::Client* client = nullptr;
  uint32_t index = 0;
  double share = 1;  // of its time that is the program's: under a manager, its kernels keep to it
};

class RealDevice {
 public:
  // index: position in the virtual device; properties: of the real context, up to the 0 at their end, or none;
  // one_context: what it shares with others; nullptr: it has one of its own.
  RealDevice(unsigned index, cl_device_id id, std::vector<cl_context_properties> properties, LeaseTarget lease,
             std::shared_ptr<OneContext> one_context)
      : RealDevice(index, id, std::move(properties), lease, std::move(one_context), nullptr, 0) {}
  ~RealDevice();
  RealDevice(const RealDevice&) = delete;
  RealDevice& operator=(const RealDevice&) = delete;

  const unsigned index;         // as a place, too
  const unsigned strand_index;  // 0, or which of its strands it is
  const cl_device_id id;
  const LeaseTarget lease;
  const std::shared_ptr<OneContext> one_context;
  const bool computes_in_caller;            // see driver::computes_in_caller()
  const bool is_remote;                     // see driver::is_remote()
  const std::string server;                 // see driver::server_address()
  const bool packs_host_rows;               // see driver::packs_host_rows()
  const bool compiles_for_each_local_size;  // see driver::VendorFacts

  // Whether its compute lane is the driver's own queue, to which operations are given without waiting; else a thread
  // does one after another: where a manager grants the device, or the driver computes in the calling thread.
  bool is_asynchronous() const { return !lease.client && !computes_in_caller; }
  // Where only a share of the device's time is ours. For its compute lane: it has computed for `ns`; whether it is left
  // to others for now; blocks as long as it is.
  void computed(uint64_t ns) { pace_.computed(ns, now_ns()); }
  bool rests() const { return pace_.rests_until() > now_ns(); }
  void rest() const;
  // How far operations are given to the driver's own queue nevertheless, under a lease; nullptr where they are not.
  RunAhead* run_ahead() { return run_ahead_.get(); }
  const RunAhead* run_ahead() const { return run_ahead_.get(); }
  // Where a manager grants it: whether what comes next may run far, and whether a kernel that takes so long may run in
  // one piece. Not a task's beyond a slice, as its profile was taken with these.
  bool may_run_far() const;
  bool takes_in_one_piece(uint64_t ns) const;

  // Its in-order queues: the device itself, and more of them with the same context and memory, each of which has its
  // own commands on their way, for what is to run at the same time (objects/strands.h). nullptr: that is not made. Any
  // thread.
  static constexpr unsigned kMostStrands = engine::Lane::kMostStrands;
  RealDevice* strand(unsigned number) { return number == 0 ? this : strands_[number].load(std::memory_order_acquire); }
  // Makes it where it is not; one thread at a time. False: the driver makes no more queues.
  bool make_strand(unsigned number);
  // The device itself first. Any thread.
  template <typename Call>
  void each_strand(const Call& call) {
    call(*this);
    each_further_strand(call);
  }
  bool has_strands() const { return of_ || has_strands_.load(std::memory_order_relaxed); }
  // Whether it may have any: it is asynchronous, if need be under a lease, but not of a task, and SAMCL_STRANDS is not
  // off.
  bool may_have_strands() const;

  // It does one work-group after another, by their numbers: where their order counts, all runs leave the same.
  bool runs_groups_in_order() const { return units_ == 1; }
  // Work-groups of that many work-items that are in the device at once.
  uint64_t groups_at_once(uint64_t work_items) const;
  // So many of them keep it as busy as it can be: a GPU waits for memory and its own pipelines before it is full.
  uint64_t busy_groups(uint64_t work_items) const;

  // Creates the real context and queues, the first time; the driver's code, after which the object is of no use. What
  // needs them first waits for that: NVIDIA's driver takes 0.11 s for a GPU, one after the other, and 0.07 s to end it.
  // Any thread.
  cl_int open() const;
  bool is_open() const { return is_open_.load(std::memory_order_acquire); }
  bool cannot_be_opened() const { return is_open() && opening_error_ != CL_SUCCESS; }

  // nullptr: it cannot be opened.
  cl_context context() const {
    open();
    return context_;
  }

  // The real in-order queue behind a lane.
  struct Queue {
    cl_command_queue real = nullptr;  // not of the compute lane: see compute_queue()
    // Held while the driver is called for this queue. Two threads that give NVIDIA's driver commands for one queue at
    // once make a thread of its own do that from then on, which never rests: a launch takes 7.4 instead of 3.6 us
    // (H200) until the queue has been idle for some tenths of a second.
    std::mutex calls;
    // Held from enqueueing to the end by who waits for what he enqueues: PoCL's basic devices deadlock if two threads
    // use one queue at once. Taken before a lease, for which a thread waits last of all.
    std::mutex mutex;
    std::unique_ptr<PinnedRing> ring;       // of a transfer lane; nullptr if the driver's own way is as fast
    std::atomic<uint64_t> without_ring{0};  // bytes that went that way while there was none
  };
  Queue& queue(engine::LaneKind lane) {
    open();
    return queues_[index_of(lane)];
  }
  // That of the compute lane: by who gives it a command, with its `calls`; and without, where that makes no difference.
  cl_command_queue compute_queue(ComputeQueues::Use use) {
    open();
    return compute_queues_.next(use, completions_->is_idle());
  }
  void program_may_ask_times() { compute_queues_.program_may_ask_times(); }
  bool program_asks_times() const { return compute_queues_.may_ask_times(); }
  cl_command_queue compute_queue() const {
    open();
    return compute_queues_.in_use();
  }
  // Whether who gives it such a command now waits for what runs.
  bool waits_until_idle(ComputeQueues::Use use) const {
    return compute_queues_.waits_until_idle(use) && !completions_->is_idle();
  }

  // Moves rows of equal shape between a memory object and host memory on a lane's queue, and waits; any thread. With a
  // manager it holds the device's PCIe link and goes in chunks, between which a more urgent task may take it; those of
  // tasks are copied by no other threads. The driver's code. is_locked: the host memory is, and needs no pinned chunks.
  cl_int transfer(engine::LaneKind lane, Direction direction, const DeviceMemory& memory, const Rectangle& rows,
                  std::byte* host, const Rectangle& host_rows, Traffic& traffic, bool is_locked = false);

  // A memory object of so many bytes has been made: if it is large, what long transfers need is made ready meanwhile.
  void expect_transfers(uint64_t bytes);

  // Runs `enqueue(queue, &event)` on the lane's queue and waits for its event; on a transfer lane under the link's
  // lease. For commands without a method above.
  template <typename Enqueue>
  cl_int run(engine::LaneKind lane, const Enqueue& enqueue) {
    Queue& on = queue(lane);
    std::lock_guard one_at_a_time(on.mutex);
    const lease::Lease link = lane == engine::LaneKind::compute ? no_lease() : link_lease();
    cl_event event = nullptr;
    std::unique_lock one_call_at_a_time(on.calls);
    const bool computes = lane == engine::LaneKind::compute;
    const cl_int error = enqueue(computes ? compute_queue(ComputeQueues::Use::plain) : on.real, &event);
    one_call_at_a_time.unlock();
    return error == CL_SUCCESS && event ? CompletionQueue::wait_for(event) : error;
  }
  // The thread of a lane. That of the compute lane only works where the device is not asynchronous, and for host calls.
  Worker& worker(engine::LaneKind lane) { return *workers_[index_of(lane)]; }
  // Of what is made before it is needed, some ms long: no operation waits for it, but for the driver, which lets nobody
  // else call it for a part of that.
  Worker& maker() { return *maker_; }

  // A program has been built whose kernels most often run here: the threads that will be needed begin now, and not
  // while one is launched.
  void expect_launches();
  // For so many bytes that the program reads and waits for.
  PinnedPlace::Held pinned_place(uint64_t bytes);
  // Of what runs on the compute queue while nobody waits for it.
  CompletionQueue& completions() { return *completions_; }
  // Operations of its compute lane that are not known to have ended. Under the lock of the context's graph.
  size_t on_their_way() const;
  // As of these; what is in flight no more holds no lease.
  bool finish_untold(const engine::Owner* owner);
  void note_ended(const InFlight& ended);
  // Whether that gets an upload of so many bytes that nobody waits for (device/uploads_beside.h): it is its next
  // operation then. Under that lock.
  bool takes_upload(uint64_t bytes);
  // Gives a launch to its compute queue, which stands for so many.
  cl_int launch(const LaunchRing::Launch& launch, uint32_t count);
  // What is on its way to it.
  SubmissionQueue& submissions() { return *submissions_; }
  // Whether it has so much to do that another thread may give it more, and there is a core for one. others_work: other
  // devices have something to do, too. Asked once for each operation, under the context's lock.
  bool submits_on_thread(bool others_work);
  // Whether there may be such a thread.
  bool may_submit_on_thread() const;
  // A command has failed after which its driver does nothing more with the context. Any thread.
  void note_lost() { is_lost_ = true; }
  bool is_lost() const { return is_lost_; }
  bool is_busy() const { return completions_->pending() >= kBusy; }
  // Waits at most `milliseconds` until nothing runs; false if that takes longer.
  bool drain(int milliseconds);
  // So that threads see Worker::end_threads_when_idle().
  void wake_threads();
  // Of the link, where a manager grants it: waits for it, with the mutex of a transfer lane.
  lease::Lease link_lease() const;
  // Whether a manager grants it to a task, or to what is measured for one's profile.
  bool is_of_task() const;

 private:
  RealDevice(unsigned index, cl_device_id id, std::vector<cl_context_properties> properties, LeaseTarget lease,
             std::shared_ptr<OneContext> one_context, const RealDevice* of, unsigned strand_number);
  template <typename Call>
  void each_further_strand(const Call& call) {
    for (unsigned number = 1; number < kMostStrands; ++number)
      if (RealDevice* const made = strand(number)) call(*made);
  }
  cl_int create_context_and_queues() const;
  lease::Lease no_lease() const { return {nullptr, lease::ResourceKind::link, lease.index}; }
  cl_int enqueue(cl_kernel kernel, const LaunchRing::Launch& launch, uint32_t count);
  cl_int launch_gathered(const LaunchRing::Launch& launch, uint32_t count);
  cl_int launch_one_by_one(const LaunchRing::Launch& launch, uint32_t count);
  static cl_int set_growing(const LaunchRing::Launch& launch, uint32_t number);
  PinnedRing* ring_for(engine::LaneKind lane, uint64_t bytes);
  void prepare_ring(engine::LaneKind lane) const;
  void prepare_rings() const;
  cl_int transfer_piece(engine::LaneKind lane, Direction direction, const DeviceMemory& memory, const Rectangle& rows,
                        std::byte* host, const Rectangle& host_rows, bool is_locked);

  static constexpr size_t kLanes = 3;
  static size_t index_of(engine::LaneKind lane) { return static_cast<size_t>(lane); }

  const RealDevice* const of_;                                    // whose strand it is; nullptr: none's
  std::array<std::atomic<RealDevice*>, kMostStrands> strands_{};  // owned
  std::atomic<bool> has_strands_{false};
  Pace pace_;
  const bool gives_a_core_;  // to a thread that submits
  const uint64_t units_;
  const uint64_t work_items_at_once_;  // of a unit; 0: it runs one work-group after another
  const std::vector<cl_context_properties> properties_;
  mutable std::mutex opening_;  // guards what is made once, up to is_open_
  mutable cl_int opening_error_ = CL_SUCCESS;
  mutable cl_context context_ = nullptr;
  mutable ComputeQueues compute_queues_;
  mutable std::array<Queue, kLanes> queues_;
  mutable std::atomic<bool> is_open_{false};
  std::array<std::unique_ptr<Worker>, kLanes> workers_;
  std::unique_ptr<Worker> maker_;
  PinnedPlace pinned_place_;
  UploadsBeside uploads_beside_;
  std::atomic<unsigned> short_reads_{0};

  // So many given to its queue: fewer would be submitted before a thread that does that is awake.
  static constexpr size_t kBusy = 16;

  std::atomic<bool> expects_transfers_{false}, expects_launches_{false}, is_lost_{false};
  uint32_t came_while_busy_ = 0;  // under the context's lock
  std::unique_ptr<RunAhead> run_ahead_;
  std::unique_ptr<SubmissionQueue> submissions_;
  std::unique_ptr<CompletionQueue> completions_;
};

}  // namespace samcl
