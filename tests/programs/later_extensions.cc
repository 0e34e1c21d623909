// An OpenCL layer that gives Debian's PoCL what later versions of it offer:
//   - command buffers of version 0.9.6, whose commands take properties, and two of which are on shared virtual memory.
//     These two are recorded as barriers: samcl has the driver record all commands, but runs its own;
//   - local sizes suggested for a launch, and taken by those that name none: kLocalSize where that divides the global
//     size, else 1.

#include <CL/cl_ext.h>

#include <cstring>
#include <map>
#include <string>

#include "tests/programs/opencl_layer.h"

namespace {

constexpr size_t kLocalSize = 8;
using Properties = const cl_ndrange_kernel_command_properties_khr*;

cl_platform_id the_platform = nullptr;

template <typename Function>
Function beneath_function(const char* name) {
  return reinterpret_cast<Function>(beneath->clGetExtensionFunctionAddressForPlatform(the_platform, name));
}

constexpr char kBarrier[] = "clCommandBarrierWithWaitListKHR";
constexpr char kCopyBuffer[] = "clCommandCopyBufferKHR";
constexpr char kCopyBufferRect[] = "clCommandCopyBufferRectKHR";
constexpr char kCopyBufferToImage[] = "clCommandCopyBufferToImageKHR";
constexpr char kCopyImage[] = "clCommandCopyImageKHR";
constexpr char kCopyImageToBuffer[] = "clCommandCopyImageToBufferKHR";
constexpr char kFillBuffer[] = "clCommandFillBufferKHR";
constexpr char kFillImage[] = "clCommandFillImageKHR";

// The driver's function of that name, with properties, of which it knows none.
template <typename Function, const char* kName>
struct Later;
template <typename... Parameters, const char* kName>
struct Later<cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, Parameters...), kName> {
  static cl_int CL_API_CALL call(cl_command_buffer_khr buffer, cl_command_queue queue, Properties properties,
                                 Parameters... parameters) {
    if (properties && properties[0] != 0) return CL_INVALID_VALUE;
    using Function = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, Parameters...);
    return beneath_function<Function>(kName)(buffer, queue, parameters...);
  }
};

cl_int CL_API_CALL svm_memcpy(cl_command_buffer_khr buffer, cl_command_queue queue, Properties properties, void* to,
                              const void* from, size_t bytes, cl_uint count, const cl_sync_point_khr* list,
                              cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  if (properties || !to || !from || bytes == 0) return CL_INVALID_VALUE;
  return beneath_function<clCommandBarrierWithWaitListKHR_fn>(kBarrier)(buffer, queue, count, list, out, change);
}

cl_int CL_API_CALL svm_fill(cl_command_buffer_khr buffer, cl_command_queue queue, Properties properties, void* to,
                            const void* pattern, size_t pattern_size, size_t bytes, cl_uint count,
                            const cl_sync_point_khr* list, cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  if (properties || !to || !pattern || pattern_size == 0 || bytes % pattern_size != 0) return CL_INVALID_VALUE;
  return beneath_function<clCommandBarrierWithWaitListKHR_fn>(kBarrier)(buffer, queue, count, list, out, change);
}

void choose(cl_uint dimensions, const size_t* global, size_t* local) {
  for (cl_uint d = 0; d < dimensions; ++d) local[d] = d == 0 && global[d] % kLocalSize == 0 ? kLocalSize : 1;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
                          cl_event* event) {
  size_t chosen[3];
  if (!local && global && dimensions >= 1 && dimensions <= 3) {
    choose(dimensions, global, chosen);
    local = chosen;
  }
  return beneath->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, waits, event);
}

cl_int CL_API_CALL suggested(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t*,
                             const size_t* global, size_t* local) {
  cl_context queues = nullptr, kernels = nullptr;
  if (beneath->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof queues, &queues, nullptr) != CL_SUCCESS)
    return CL_INVALID_COMMAND_QUEUE;
  if (beneath->clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof kernels, &kernels, nullptr) != CL_SUCCESS)
    return CL_INVALID_KERNEL;
  if (queues != kernels) return CL_INVALID_CONTEXT;
  choose(dimensions, global, local);
  return CL_SUCCESS;
}

void* CL_API_CALL function_of_platform(cl_platform_id platform, const char* name) {
  the_platform = platform;
  const std::map<std::string, void*> functions = {
      {kBarrier, reinterpret_cast<void*>(&Later<clCommandBarrierWithWaitListKHR_fn, kBarrier>::call)},
      {kCopyBuffer, reinterpret_cast<void*>(&Later<clCommandCopyBufferKHR_fn, kCopyBuffer>::call)},
      {kCopyBufferRect, reinterpret_cast<void*>(&Later<clCommandCopyBufferRectKHR_fn, kCopyBufferRect>::call)},
      {kCopyBufferToImage, reinterpret_cast<void*>(&Later<clCommandCopyBufferToImageKHR_fn, kCopyBufferToImage>::call)},
      {kCopyImage, reinterpret_cast<void*>(&Later<clCommandCopyImageKHR_fn, kCopyImage>::call)},
      {kCopyImageToBuffer, reinterpret_cast<void*>(&Later<clCommandCopyImageToBufferKHR_fn, kCopyImageToBuffer>::call)},
      {kFillBuffer, reinterpret_cast<void*>(&Later<clCommandFillBufferKHR_fn, kFillBuffer>::call)},
      {kFillImage, reinterpret_cast<void*>(&Later<clCommandFillImageKHR_fn, kFillImage>::call)},
      {"clCommandSVMMemcpyKHR", reinterpret_cast<void*>(&svm_memcpy)},
      {"clCommandSVMMemFillKHR", reinterpret_cast<void*>(&svm_fill)},
      {"clGetKernelSuggestedLocalWorkSizeKHR", reinterpret_cast<void*>(&suggested)},
  };
  const auto found = functions.find(name);
  return found != functions.end() ? found->second : beneath->clGetExtensionFunctionAddressForPlatform(platform, name);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  size_t bytes = 0;
  const cl_int error = beneath->clGetDeviceInfo(device, name, size, value, &bytes);
  if (size_ret) *size_ret = bytes;
  if (error != CL_SUCCESS || !value || name != CL_DEVICE_EXTENSIONS_WITH_VERSION) return error;
  auto* const all = static_cast<cl_name_version*>(value);
  for (size_t i = 0; i < bytes / sizeof *all; ++i) {
    if (std::strcmp(all[i].name, CL_KHR_COMMAND_BUFFER_EXTENSION_NAME) == 0) all[i].version = CL_MAKE_VERSION(0, 9, 6);
  }
  return error;
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clEnqueueNDRangeKernel = launch;
  table.clGetDeviceInfo = device_info;
  table.clGetExtensionFunctionAddressForPlatform = function_of_platform;
}
