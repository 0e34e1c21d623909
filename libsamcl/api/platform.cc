// Platforms: always the driver's own; they show only those extensions that work through samcl.
#include <CL/cl.h>

#include <algorithm>

#include "entry_points.h"
#include "libsamcl/api/extensions.h"
#include "libsamcl/api/info.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size, void* value,
                                     size_t* size_ret) {
  const auto& cl = driver::real();
  const Answer answer{size, value, size_ret};
  if (name != CL_PLATFORM_EXTENSIONS && name != CL_PLATFORM_EXTENSIONS_WITH_VERSION)
    return cl.clGetPlatformInfo(platform, name, size, value, size_ret);
  size_t bytes = 0;
  cl_int error = cl.clGetPlatformInfo(platform, name, 0, nullptr, &bytes);
  if (error != CL_SUCCESS) return error;
  if (name == CL_PLATFORM_EXTENSIONS) {
    std::string all(bytes, '\0');
    error = cl.clGetPlatformInfo(platform, name, bytes, all.data(), nullptr);
    return error == CL_SUCCESS ? answer.text(filter_extensions(all.c_str())) : error;
  }
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  error = cl.clGetPlatformInfo(platform, name, bytes, all.data(), nullptr);
  if (error != CL_SUCCESS) return error;
  std::erase_if(all, [](const cl_name_version& extension) { return !is_visible_extension(extension.name); });
  return answer.array(all);
}

}  // namespace samcl::api
