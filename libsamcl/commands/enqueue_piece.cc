#include "libsamcl/commands/enqueue_piece.h"

#include "libsamcl/driver/driver.h"

namespace samcl {

cl_int enqueue_piece(const Kernel& kernel, cl_kernel real, RealDevice& device, const Ndrange& ndrange,
                     const GroupBox& piece, bool pass_local, const EventWanted& wanted) {
  if (kernel.translation->needs_ndrange_argument) {
    NdrangeArgument argument;
    for (unsigned d = 0; d < 3; ++d) {
      argument.group_offset[d] = piece.first[d];
      argument.num_groups[d] = ndrange.groups(d);
      argument.global_size[d] = ndrange.global[d];
      argument.global_offset[d] = ndrange.offset[d];
    }
    const cl_int error = driver::real().clSetKernelArg(real, kernel.argument_count, sizeof argument, &argument);
    if (error != CL_SUCCESS) return error;
  }
  return enqueue_items(real, device, ndrange, launch_of(ndrange, piece), pass_local, wanted);
}

cl_int enqueue_items(cl_kernel real, RealDevice& device, const Ndrange& ndrange, const BoxLaunch& items,
                     bool pass_local, const EventWanted& wanted) {
  size_t offset[3], size[3], local[3];
  bool any_offset = false;
  for (unsigned d = 0; d < 3; ++d) {
    offset[d] = items.offset[d];
    size[d] = items.size[d];
    local[d] = ndrange.local[d];
    any_offset |= offset[d] != 0;
  }
  std::lock_guard one_at_a_time(device.queue(engine::LaneKind::compute).calls);
  return driver::real().clEnqueueNDRangeKernel(device.compute_queue(ComputeQueues::use_for(wanted)), real,
                                               ndrange.dimensions, any_offset ? offset : nullptr, size,
                                               pass_local ? local : nullptr, 0, nullptr, wanted.event);
}

}  // namespace samcl
