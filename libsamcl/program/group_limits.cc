#include "libsamcl/program/group_limits.h"

#include "libsamcl/driver/query.h"

namespace samcl {

GroupLimits GroupLimits::of(cl_program program, const std::string& kernel, cl_device_id device) {
  const auto& cl = driver::real();
  cl_int error;
  const cl_kernel made = cl.clCreateKernel(program, kernel.c_str(), &error);
  if (!made) return {};
  GroupLimits limits;
  size_t group_size = 0;
  cl_ulong own_memory = 0;
  cl.clGetKernelWorkGroupInfo(made, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group_size, &group_size, nullptr);
  cl.clGetKernelWorkGroupInfo(made, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof own_memory, &own_memory, nullptr);
  cl.clReleaseKernel(made);
  const auto memory = driver::value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  limits.group_size = group_size;
  limits.item_sizes = driver::value<std::array<size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  limits.local_memory = memory > own_memory ? memory - own_memory : 0;
  limits.buffer = driver::value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.partial_groups = driver::value<cl_bool>(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE);
  return limits;
}

bool GroupLimits::fits(const Ndrange& ndrange, uint64_t local_bytes, uint64_t largest_buffer) const {
  for (unsigned d = 0; d < ndrange.dimensions; ++d) {
    if (ndrange.local[d] > item_sizes[d]) return false;
    if (ndrange.global[d] % ndrange.local[d] != 0 && !partial_groups) return false;
  }
  return ndrange.local[0] * ndrange.local[1] * ndrange.local[2] <= group_size && local_bytes <= local_memory &&
         largest_buffer <= buffer;
}

}  // namespace samcl
