// Contexts. One on exactly one virtual device is ours; any other is the driver's, on the first real device of
// each that was named.
#include "libsamcl/objects/context.h"

#include <CL/cl.h>

#include <algorithm>

#include "entry_points.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/eviction.h"
#include "libsamcl/objects/machine.h"
#include "libsamcl/objects/process_end.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/program/remembered_placements.h"

namespace samcl::api {
namespace {

using Notify = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

std::vector<cl_device_id> distinct(const cl_device_id* devices, cl_uint count) {
  std::vector<cl_device_id> result;
  for (cl_uint i = 0; i < count; ++i)
    if (std::find(result.begin(), result.end(), devices[i]) == result.end()) result.push_back(devices[i]);
  return result;
}

// `devices` are distinct and not empty.
cl_context create(const cl_context_properties* properties, const std::vector<cl_device_id>& devices, Notify notify,
                  void* user_data, cl_int* errcode_ret) {
  std::vector<cl_device_id> real;
  for (cl_device_id device : devices) {
    if (!device || (is_virtual(device) && !find<Device>(device))) return failed(errcode_ret, CL_INVALID_DEVICE);
    const cl_device_id beneath = unwrap(device);
    if (std::find(real.begin(), real.end(), beneath) == real.end()) real.push_back(beneath);
  }
  if (devices.size() == 1 && is_virtual(devices[0])) {
    cl_int error = CL_SUCCESS;
    auto context = Context::create(find<Device>(devices[0]), properties, &error);
    if (!context) return failed(errcode_ret, error);
    if (context->is_managed() && !context->shares_host_memory()) keep_memory_limits(*context->devices[0]->lease.client);
    recall_placements(*context);
    return created(errcode_ret, Context::hand_out(std::move(context)));
  }
  if (report::wanted() || trace::observes()) arrange_process_end();
  return driver::real().clCreateContext(properties, static_cast<cl_uint>(real.size()), real.data(), notify, user_data,
                                        errcode_ret);
}

cl_platform_id platform_of(const cl_context_properties* properties) {
  cl_platform_id platform = driver::platform_in(properties);
  if (!platform) driver::real().clGetPlatformIDs(1, &platform, nullptr);
  return platform;
}

}  // namespace

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint num_devices,
                                       const cl_device_id* devices, Notify pfn_notify, void* user_data,
                                       cl_int* errcode_ret) {
  if (!devices || num_devices == 0 || (!pfn_notify && user_data)) return failed(errcode_ret, CL_INVALID_VALUE);
  return create(properties, distinct(devices, num_devices), pfn_notify, user_data, errcode_ret);
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               Notify pfn_notify, void* user_data, cl_int* errcode_ret) {
  if (!pfn_notify && user_data) return failed(errcode_ret, CL_INVALID_VALUE);
  const cl_platform_id platform = platform_of(properties);
  if (!platform) return failed(errcode_ret, CL_INVALID_PLATFORM);
  cl_uint count = 0;
  const cl_int error = driver::real().clGetDeviceIDs(platform, type, 0, nullptr, &count);
  if (error == CL_INVALID_DEVICE_TYPE || error == CL_INVALID_PLATFORM) return failed(errcode_ret, error);
  const std::vector<cl_device_id> devices = program_devices(platform, type);
  if (devices.empty()) return failed(errcode_ret, CL_DEVICE_NOT_FOUND);
  return create(properties, devices, pfn_notify, user_data, errcode_ret);
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  if (!context) return CL_INVALID_CONTEXT;
  if (!is_virtual(context)) return driver::real().clRetainContext(context);
  const auto ours = find<Context>(context);
  if (!ours) return CL_INVALID_CONTEXT;
  ours->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseContext(cl_context context) {
  if (!context) return CL_INVALID_CONTEXT;
  if (!is_virtual(context)) return driver::real().clReleaseContext(context);
  const auto ours = find<Context>(context);
  if (!ours) return CL_INVALID_CONTEXT;
  if (ours->release()) ours->tell_untold();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size, void* value,
                                    size_t* size_ret) {
  if (!context) return CL_INVALID_CONTEXT;
  if (!is_virtual(context)) {
    size_t bytes = 0;
    const cl_int error = driver::real().clGetContextInfo(context, name, size, value, &bytes);
    if (error != CL_SUCCESS) return error;
    if (size_ret) *size_ret = bytes;
    if (name == CL_CONTEXT_DEVICES && value) as_programs_devices(value, bytes);
    return error;
  }
  const auto ours = find<Context>(context);
  if (!ours) return CL_INVALID_CONTEXT;
  const Answer answer{size, value, size_ret};
  switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: return answer.with<cl_uint>(ours->references());
    case CL_CONTEXT_NUM_DEVICES: return answer.with<cl_uint>(1);
    case CL_CONTEXT_DEVICES: return answer.with<cl_device_id>(ours->device->api());
    case CL_CONTEXT_PROPERTIES: return answer.array(ours->properties);
    default: return driver::real().clGetContextInfo(ours->devices[0]->context(), name, size, value, size_ret);
  }
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context, Context::DestructorCallback pfn_notify,
                                                  void* user_data) {
  if (!context) return CL_INVALID_CONTEXT;
  if (!is_virtual(context)) return driver::real().clSetContextDestructorCallback(context, pfn_notify, user_data);
  const auto ours = find<Context>(context);
  if (!ours) return CL_INVALID_CONTEXT;
  if (!pfn_notify) return CL_INVALID_VALUE;
  ours->add_destructor_callback(pfn_notify, user_data);
  return CL_SUCCESS;
}

}  // namespace samcl::api
