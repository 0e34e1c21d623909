// What stands behind samcl's entry points in these tests instead of the runtime: it forwards everything and marks
// the devices' names. A program that reads one mark came through the entry points; without a mark it went past them,
// with two it went through them twice.
#include <cstring>
#include <string>

#include "entry_points.h"
#include "libsamcl/api/command_buffer.h"
#include "libsamcl/api/content_size.h"
#include "libsamcl/api/external_memory.h"
#include "libsamcl/api/semaphore.h"
#include "libsamcl/api/suggested_local_size.h"
#include "libsamcl/driver/query.h"

namespace samcl::api {

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value,
                                   size_t* size_ret) {
  if (what != CL_DEVICE_NAME) return driver::real().clGetDeviceInfo(device, what, size, value, size_ret);
  const std::string name = "caught: " + driver::text(device, what);
  if (value && size < name.size() + 1) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, name.c_str(), name.size() + 1);
  if (size_ret) *size_ret = name.size() + 1;
  return CL_SUCCESS;
}

// Command buffers, imported memory, semaphores and suggested sizes are the runtime's.
void* command_buffer_function(std::string_view, cl_version) { return nullptr; }
void* external_memory_function(std::string_view) { return nullptr; }
void* semaphore_function(std::string_view) { return nullptr; }
void* suggested_local_size_function(std::string_view) { return nullptr; }
void* content_size_function(std::string_view) { return nullptr; }
std::optional<cl_version> command_buffer_version(cl_device_id) { return {}; }

}  // namespace samcl::api
