#include "libsamcl/api/suggested_local_size.h"

#include <CL/cl_ext.h>

#include "libsamcl/api/guarded_extension.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"

namespace samcl::api {
namespace {

constexpr char kName[] = "clGetKernelSuggestedLocalWorkSizeKHR";

// A virtual queue has no real one. That of the first device gives its driver's choice, which launches take, too.
cl_command_queue real_queue_of(cl_command_queue handle) {
  const auto ours = find<Queue>(handle);
  return ours ? ours->context->devices[0]->compute_queue() : unwrap(handle);
}

cl_int CL_API_CALL suggested_local_size(cl_command_queue handle, cl_kernel kernel_handle, cl_uint dimensions,
                                        const size_t* offset, const size_t* size, size_t* suggested) {
  const cl_command_queue queue = real_queue_of(handle);
  const cl_kernel kernel = unwrap(kernel_handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!kernel) return CL_INVALID_KERNEL;
  const auto& cl = driver::real();
  cl_device_id device = nullptr;
  if (cl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) != CL_SUCCESS)
    return CL_INVALID_COMMAND_QUEUE;
  const auto function = reinterpret_cast<clGetKernelSuggestedLocalWorkSizeKHR_fn>(
      cl.clGetExtensionFunctionAddressForPlatform(driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM), kName));
  return function ? function(queue, kernel, dimensions, offset, size, suggested) : CL_INVALID_OPERATION;
}

}  // namespace

void* suggested_local_size_function(std::string_view name) {
  return name == kName ? guarded<suggested_local_size>(kName) : nullptr;
}

}  // namespace samcl::api
