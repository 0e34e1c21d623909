#include "libsamcl/device/sub_kernel.h"

#include <algorithm>
#include <utility>

#include "libsamcl/runtime/event.h"
#include "libsamcl/runtime/trace.h"

namespace samcl {
namespace {

constexpr double kSliceNs = 500'000;

// Groups of a slice of about that time; a sixteenth of the launch where nothing is known yet.
uint64_t groups_of_slice(const SubKernel::Slicing& slicing, const GroupBox& box) {
  const double ns_per_group = slicing.ns_per_group.load(std::memory_order_relaxed);
  const uint64_t wanted = ns_per_group > 0 ? static_cast<uint64_t>(std::min(kSliceNs / ns_per_group, 1e15))
                                           : (box.total() + 15) / 16;
  // Where a work-group takes longer than a slice should, smaller ones would leave the device idle and end no sooner.
  return std::max(wanted, slicing.least_groups);
}

lease::Lease lease_of(const RealDevice& device) {
  return trace::waiting("wait for the device", [&] {
    return lease::Lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
  });
}

// Two slices in flight keep the device busy; a more urgent task waits for those two at most.
cl_int run_slices(SubKernel& kernel, const SubKernel::Slicing& slicing, RealDevice& device) {
  const GroupBox box = kernel.box();
  const std::vector<GroupBox> slices = slice(box, groups_of_slice(slicing, box));
  lease::Lease lease = lease_of(device);
  trace::Span span(trace::Activity::kernel, device.index);
  const cl_ulong start = now_ns();
  cl_ulong begun = start;  // when the slice in flight could begin
  cl_ulong away = 0;
  cl_event before = nullptr;
  cl_int error = CL_SUCCESS;
  auto finish_before = [&] {
    if (!before) return;
    const cl_int result = CompletionQueue::wait_for(std::exchange(before, nullptr));
    if (error == CL_SUCCESS) error = result;
    span.piece_since(std::exchange(begun, now_ns()));
  };
  for (const GroupBox& piece : slices) {
    if (error == CL_SUCCESS && lease.revoke_requested()) {
      finish_before();
      const cl_ulong left = now_ns();
      trace::waiting("give way", [&] { lease.yield_if_revoked(); });
      begun = now_ns();
      away += begun - left;
    }
    cl_event current = nullptr;
    if (error == CL_SUCCESS) error = kernel.enqueue(device, piece, &current);
    finish_before();
    before = current;
    ++slicing.slices;
  }
  finish_before();
  const double known = slicing.ns_per_group.load(std::memory_order_relaxed);
  const double measured = static_cast<double>(now_ns() - start - away) / static_cast<double>(box.total());
  slicing.ns_per_group = known > 0 ? 0.75 * known + 0.25 * measured : measured;
  return error;
}

cl_int run_whole(SubKernel& kernel, RealDevice& device) {
  lease::Lease lease = lease_of(device);
  const trace::Span span(trace::Activity::kernel, device.index);
  cl_event done = nullptr;
  const cl_int error = kernel.enqueue(device, kernel.box(), &done);
  return error == CL_SUCCESS ? CompletionQueue::wait_for(done) : error;
}

}  // namespace

cl_int run_to_end(SubKernel& kernel, RealDevice& device) {
  if (const cl_int error = kernel.prepare(device); error != CL_SUCCESS) return error;
  RunTimes run{now_ns(), now_ns(), 0};
  kernel.began(run);
  const SubKernel::Slicing* slicing = device.lease.client ? kernel.slicing() : nullptr;
  const cl_int error = slicing ? run_slices(kernel, *slicing, device) : run_whole(kernel, device);
  run.ended = now_ns();
  if (error == CL_SUCCESS) kernel.ran(device, run);
  return error;
}

}  // namespace samcl
