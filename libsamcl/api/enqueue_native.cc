// Native kernels: on the first device, in the virtual queue's order.
#include <cstring>

#include "entry_points.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue handle, void(CL_CALLBACK* function)(void*), void* arguments,
                                         size_t bytes, cl_uint buffer_count, const cl_mem* buffers,
                                         const void** locations, cl_uint wait_count, const cl_event* waits,
                                         cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueNativeKernel(handle, function, arguments, bytes, buffer_count, buffers, locations, wait_count,
                                    waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  cl_device_exec_capabilities able = 0;
  cl.clGetDeviceInfo(queue->context->devices[0]->id, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof able, &able, nullptr);
  if (!(able & CL_EXEC_NATIVE_KERNEL)) return CL_INVALID_OPERATION;
  if (!function || (arguments == nullptr) != (bytes == 0)) return CL_INVALID_VALUE;
  if ((buffer_count == 0) != (buffers == nullptr) || (buffer_count == 0) != (locations == nullptr))
    return CL_INVALID_VALUE;
  if (!arguments && buffer_count > 0) return CL_INVALID_VALUE;
  // The argument block is copied now, as the standard wants; places in it are kept as offsets.
  std::vector<std::byte> block(bytes);
  if (bytes > 0) std::memcpy(block.data(), arguments, bytes);
  std::vector<BufferPart> parts;
  std::vector<cl_mem> images, handles;
  std::vector<size_t> offsets;
  for (cl_uint i = 0; i < buffer_count; ++i) {
    handles.push_back(buffers[i]);
    offsets.push_back(
        static_cast<size_t>(static_cast<const std::byte*>(locations[i]) - static_cast<std::byte*>(arguments)));
    if (auto buffer = find<Buffer>(buffers[i])) {
      const Rectangle all = Rectangle::run(0, buffer->size());
      parts.push_back({buffer, all, false});
      parts.push_back({buffer, all, true});
    } else if (!buffers[i] || is_virtual(buffers[i])) {
      return CL_INVALID_MEM_OBJECT;
    } else {
      images.push_back(buffers[i]);
    }
  }
  return enqueue_on_first_device(queue, CL_COMMAND_NATIVE_KERNEL, wait_count, waits, event, false, parts, images,
                                 [=, &cl](cl_command_queue real, cl_event* done) mutable {
                                   std::vector<const void*> places;
                                   for (size_t offset : offsets) places.push_back(block.data() + offset);
                                   for (cl_mem& handle : handles) handle = unwrap(handle);
                                   return cl.clEnqueueNativeKernel(
                                       real, function, block.empty() ? nullptr : block.data(), block.size(),
                                       static_cast<cl_uint>(handles.size()), handles.empty() ? nullptr : handles.data(),
                                       places.empty() ? nullptr : places.data(), 0, nullptr, done);
                                 });
}

}  // namespace samcl::api
