#include "libsamcl/api/content_size.h"

#include <CL/cl.h>

#include <vector>

#include "libsamcl/api/guarded_extension.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/objects/buffer.h"

namespace samcl::api {
namespace {

constexpr char kName[] = "clSetContentSizeBufferPoCL";
using Function = cl_int(CL_API_CALL*)(cl_mem, cl_mem);

cl_int set_on_real(cl_mem buffer, cl_mem size) {
  const auto& cl = driver::real();
  cl_context context = nullptr;
  cl.clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  size_t bytes = 0;
  cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes);
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  if (cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr) != CL_SUCCESS || devices.empty())
    return CL_INVALID_MEM_OBJECT;
  const auto function = reinterpret_cast<Function>(cl.clGetExtensionFunctionAddressForPlatform(
      driver::value<cl_platform_id>(devices[0], CL_DEVICE_PLATFORM), kName));
  return function ? function(buffer, size) : CL_INVALID_OPERATION;
}

// All bytes of virtual buffers move as if they had a meaning. The driver need not know: it leaves some out, also where
// they are what another device has written.
cl_int CL_API_CALL set_content_size(cl_mem buffer_handle, cl_mem size_handle) {
  if (!buffer_handle || !size_handle) return CL_INVALID_MEM_OBJECT;
  if (!is_virtual(buffer_handle) && !is_virtual(size_handle)) return set_on_real(buffer_handle, size_handle);
  const auto buffer = find<Buffer>(buffer_handle), size = find<Buffer>(size_handle);
  if (!buffer || !size || size->parent) return CL_INVALID_MEM_OBJECT;
  if (buffer->context != size->context) return CL_INVALID_CONTEXT;
  return size->size() < sizeof(cl_ulong) ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
}

}  // namespace

void* content_size_function(std::string_view name) {
  return name == kName ? guarded<set_content_size>(kName) : nullptr;
}

}  // namespace samcl::api
