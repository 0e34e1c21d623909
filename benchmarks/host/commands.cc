#include "benchmarks/host/commands.h"

namespace bench {

void enqueue(cl_command_queue queue, const Kernel& kernel, std::initializer_list<size_t> global,
             std::initializer_list<size_t> local, EventList& events, std::span<const cl_event> after) {
  check(clEnqueueNDRangeKernel(queue, kernel.get(), static_cast<cl_uint>(global.size()), nullptr, global.begin(),
                               local.size() == 0 ? nullptr : local.begin(), static_cast<cl_uint>(after.size()),
                               after.empty() ? nullptr : after.data(), events.add()));
}

void* map(cl_command_queue queue, const Buffer& buffer, cl_map_flags flags, size_t bytes, EventList& events) {
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(queue, buffer.get(), CL_TRUE, flags, 0, bytes, 0, nullptr, events.add(), &status);
  check(status);
  return mapped;
}

void unmap(cl_command_queue queue, const Buffer& buffer, void* mapped, EventList& events) {
  check(clEnqueueUnmapMemObject(queue, buffer.get(), mapped, 0, nullptr, events.add()));
}

}  // namespace bench
