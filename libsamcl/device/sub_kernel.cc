#include "libsamcl/device/sub_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/observe/trace.h"

namespace samcl {
namespace {

lease::Lease lease_of(const RealDevice& device) {
  return trace::waiting("wait for the device", [&] {
    return lease::Lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
  });
}

// A kernel's slices under a lease, one after the other. Two in flight keep the device busy; a more urgent task waits
// for those two at most. While no other program is connected they are longer (lease::Client::runs_far()): each costs
// some us, and leaves processors idle as it ends. Not a task's, as its profile was taken.
class Slices {
 public:
  Slices(SubKernel& kernel, const SubKernel::Slicing& slicing, RealDevice& device, const Room& room)
      : kernel_(kernel),
        slicing_(slicing),
        device_(device),
        room_(room),
        items_per_group_(std::max<uint64_t>(1, kernel.work_items(kernel.box()) / kernel.box().total())),
        lease_(lease_of(device)),
        span_(trace::Activity::kernel, device.index) {}

  // computed: what it would have taken in one piece, ns.
  cl_int run(uint64_t& computed) {
    std::vector<GroupBox> left{kernel_.box()};
    while (!left.empty() && error_ == CL_SUCCESS) {
      if (device_.rests()) {
        wait_for_last();
        trace::waiting("leave the device to others", [&] { lease_.leave_while([&] { device_.rest(); }); });
      } else if (lease_.revoke_requested()) {
        wait_for_last();
        trace::waiting("give way", [&] { lease_.yield_if_revoked(); });
      }
      const uint64_t groups = next_groups(slice_ns());
      if (error_ == CL_SUCCESS) start(cut_slice(left, groups));
    }
    wait_for_last();
    computed = at_once_ns();
    return error_;
  }

 private:
  // See PieceTimes::fitting().
  static constexpr uint64_t kFarMargin = 16;
  struct Slice {
    cl_event end = nullptr;
    uint64_t groups = 0;
    cl_ulong enqueued = 0;
  };

  // How long the next one is to take.
  uint64_t slice_ns() {
    if (!device_.is_of_task() && lease_.may_run_far()) return GrantedWork::kFarSliceNs;
    if (lease_.is_far()) wait_for_last();
    lease_.ends_run_far();
    return RunAhead::kSliceNs;
  }

  // As many as take about that long, going by what is known and by the slice that ended last: what a kernel takes may
  // depend on its data. Where nothing is known, few.
  uint64_t next_groups(uint64_t ns) {
    const uint64_t margin = lease_.is_far() ? kFarMargin : 0;
    uint64_t items = kernel_.times().fitting(ns, margin);
    if (items == 0 && last_.end) {
      wait_for_last();
      items = kernel_.times().fitting(ns, margin);
    }
    uint64_t groups = items / items_per_group_;
    if (ended_groups_ > 0) groups = std::min(groups, PieceTimes::fitting(ended_groups_, ended_ns_, ns, margin));
    // Where a work-group takes longer than a slice should, smaller ones would leave the device idle and end no sooner.
    return std::max(groups, slicing_.least_groups);
  }

  // The first slices are short, as nobody knows what they take: of what is not long they make several times as much.
  uint64_t at_once_ns() const {
    if (computed_ns_ >= 2 * RunAhead::kSliceNs) return computed_ns_;
    const uint64_t expected = kernel_.times().expect(kernel_.work_items(kernel_.box()));
    return expected > 0 ? std::min(computed_ns_, expected) : computed_ns_;
  }

  void start(const GroupBox& piece) {
    if (device_.computes_in_caller) wait_for_last();
    Slice next{nullptr, piece.total(), now_ns()};
    error_ = room_.ask([&] { return kernel_.enqueue(device_, piece, {&next.end, true}); });
    wait_for_last();
    if (next.end) last_ = next;
    ++slicing_.slices;
  }

  void wait_for_last() {
    if (!last_.end) return;
    const Slice slice = std::exchange(last_, {});
    DeviceTimes times;
    const cl_int result = CompletionQueue::wait_for(slice.end, &times);
    if (error_ == CL_SUCCESS) error_ = result;
    const cl_ulong begun = std::max(slice.enqueued, ended_at_);
    ended_at_ = now_ns();
    span_.piece_since(begun);
    if (result != CL_SUCCESS) return;
    ended_groups_ = slice.groups;
    ended_ns_ = std::max<uint64_t>(1, times.took() > 0 ? times.took() : ended_at_ - begun);
    kernel_.times().took(slice.groups * items_per_group_, ended_ns_);
    device_.computed(ended_ns_);
    computed_ns_ += ended_ns_;
  }

  SubKernel& kernel_;
  const SubKernel::Slicing& slicing_;
  RealDevice& device_;
  const Room& room_;
  const uint64_t items_per_group_;
  lease::Lease lease_;
  trace::Span span_;
  Slice last_;  // in flight
  cl_ulong ended_at_ = 0;
  // The one that ended last; 0: none has.
  uint64_t ended_groups_ = 0, ended_ns_ = 0;
  uint64_t computed_ns_ = 0;  // all that ended took
  cl_int error_ = CL_SUCCESS;
};

// computed: what it took by the device's own clock, ns, where that is told.
cl_int run_whole(SubKernel& kernel, RealDevice& device, const Room& room, uint64_t& computed) {
  lease::Lease lease = lease_of(device);
  const trace::Span span(trace::Activity::kernel, device.index);
  cl_event done = nullptr;
  const cl_ulong begun = now_ns();
  const bool is_managed = device.lease.client != nullptr;
  const bool wants_times = is_managed || device.computes_in_caller || kernel.times_wanted() == Giving::Times::at_end;
  cl_int error = room.ask([&] { return kernel.enqueue(device, kernel.box(), {&done, wants_times}); });
  if (error != CL_SUCCESS) return error;
  DeviceTimes times;
  error = CompletionQueue::wait_for(done, wants_times ? &times : nullptr);
  if (error != CL_SUCCESS) return error;
  if (!is_managed) {
    computed = times.took();
    return CL_SUCCESS;
  }
  const uint64_t took = times.took() > 0 ? times.took() : now_ns() - begun;
  kernel.times().took(kernel.work_items(kernel.box()), took);
  device.computed(took);
  return CL_SUCCESS;
}

// Runs a piece to its end. ns: what that took.
cl_int run_piece(SubKernel& kernel, const GroupBox& piece, RealDevice& device, const Room& room, uint64_t& ns) {
  const trace::Span span(trace::Activity::kernel, device.index);
  cl_event end = nullptr;
  const cl_ulong begun = now_ns();
  cl_int error = room.ask([&] { return kernel.enqueue(device, piece, {&end, true}); });
  DeviceTimes times;
  if (error == CL_SUCCESS) error = CompletionQueue::wait_for(end, &times);
  ns = std::max<uint64_t>(1, times.took() > 0 ? times.took() : now_ns() - begun);
  return error;
}

// Pieces of its own part and then of others', one after another. computed: what they took, ns. Others may wait for what
// becomes of each piece.
cl_int run_shared(SubKernel& kernel, const SubKernel::Shared& shared, RealDevice& device, const Room& room,
                  uint64_t& computed) {
  const SubKernel::Slicing& slicing = *kernel.slicing();
  while (const auto piece = shared.work.next(shared.part, slicing.least_groups)) {
    uint64_t ns = 0;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    try {
      error = kernel.bring_for_others();
      if (error == CL_SUCCESS) error = run_piece(kernel, *piece, device, room, ns);
    } catch (...) {  // no memory
    }
    if (error != CL_SUCCESS) {
      shared.work.failed(shared.part);
      return error;
    }
    shared.work.ran(shared.part, ns);
    computed += ns;
    ++slicing.slices;
  }
  return CL_SUCCESS;
}

}  // namespace

cl_int run_to_end(SubKernel& kernel, RealDevice& device, const Room& room) {
  if (device.lease.client) kernel.slice(device);
  if (const cl_int error = room.ask([&] { return kernel.prepare(device); }); error != CL_SUCCESS) return error;
  device.rest();
  RunTimes run{.began = now_ns()};
  kernel.began(run);
  const SubKernel::Slicing* slicing = device.lease.client ? kernel.slicing() : nullptr;
  cl_int error = CL_SUCCESS;
  if (const auto shared = kernel.shared()) {
    error = run_shared(kernel, *shared, device, room, run.computed);
  } else {
    error = slicing ? Slices(kernel, *slicing, device, room).run(run.computed)
                    : run_whole(kernel, device, room, run.computed);
  }
  run.ended = now_ns();
  if (error == CL_SUCCESS) kernel.ran(device, run);
  return error;
}

}  // namespace samcl
