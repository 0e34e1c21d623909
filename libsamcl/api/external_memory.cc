#include "libsamcl/api/external_memory.h"

// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl_ext.h>

#include <vector>

#include "libsamcl/api/first_device.h"
#include "libsamcl/api/guarded_extension.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"

namespace samcl::api {
namespace {

constexpr const char* kAcquire = "clEnqueueAcquireExternalMemObjectsKHR";
constexpr const char* kRelease = "clEnqueueReleaseExternalMemObjectsKHR";

using HandOver = clEnqueueAcquireExternalMemObjectsKHR_fn;

HandOver drivers(cl_device_id device, const char* name) {
  const auto platform = driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  return reinterpret_cast<HandOver>(driver::real().clGetExtensionFunctionAddressForPlatform(platform, name));
}

cl_int hand_over(const char* name, cl_command_type type, cl_command_queue handle, cl_uint count, const cl_mem* memory,
                 cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(handle)) {
    cl_device_id device = nullptr;
    const cl_int error = driver::real().clGetCommandQueueInfo(handle, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
    if (error != CL_SUCCESS) return CL_INVALID_COMMAND_QUEUE;
    const HandOver function = drivers(device, name);
    if (!function) return CL_INVALID_OPERATION;
    return function(handle, count, UnwrappedList(count, memory).get(), wait_count,
                    UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  const HandOver function = drivers(queue->context->devices[0]->id, name);
  if (!function) return CL_INVALID_OPERATION;
  if ((count == 0) != (memory == nullptr)) return CL_INVALID_VALUE;
  std::vector<NamedMemory> named;
  for (cl_uint i = 0; i < count; ++i) named.push_back({memory[i], true});
  return enqueue_on_drivers_own(queue, type, wait_count, waits, event, false, std::move(named),
                                [=](cl_command_queue real, const cl_mem* real_memory, cl_event* done) {
                                  return function(real, count, real_memory, 0, nullptr, done);
                                });
}

cl_int CL_API_CALL acquire(cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_uint wait_count,
                           const cl_event* waits, cl_event* event) {
  return hand_over(kAcquire, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, queue, count, memory, wait_count, waits,
                   event);
}

cl_int CL_API_CALL release(cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_uint wait_count,
                           const cl_event* waits, cl_event* event) {
  return hand_over(kRelease, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, queue, count, memory, wait_count, waits,
                   event);
}

}  // namespace

void* external_memory_function(std::string_view name) {
  if (name == kAcquire) return guarded<acquire>(kAcquire);
  return name == kRelease ? guarded<release>(kRelease) : nullptr;
}

}  // namespace samcl::api
