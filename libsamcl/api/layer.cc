#include "libsamcl/api/layer.h"

#include <CL/cl_layer.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "entry_points.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/loader.h"

#define SAMCL_EXPORT extern "C" __attribute__((visibility("default")))

// In the headers of 2026; Debian 12's do not have it yet.
using cl_layer_properties = cl_properties;

namespace samcl {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Runs in every process that the preload enters: it loads nothing and prints nothing.
[[gnu::constructor]] void open_layer_entry_point() try {
  const std::string& self = driver::this_library_path();
  if (self.empty() || self.find(':') != std::string::npos) return;  // a path with a colon can't be listed
  const char* present = std::getenv("OPENCL_LAYERS");
  const std::string layers = with_our_layer(present ? present : "", self);
  if (!present || layers != present) setenv("OPENCL_LAYERS", layers.c_str(), 1);
} catch (...) {
  // Without memory the program does without this entry point.
}

cl_int give(const void* value, size_t value_size, size_t size, void* to, size_t* size_ret) {
  if (to && size < value_size) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, value, value_size);
  if (size_ret) *size_ret = value_size;
  return CL_SUCCESS;
}

cl_int init_layer(cl_uint num_entries, const cl_icd_dispatch* target, cl_uint* num_entries_ret,
                  const cl_icd_dispatch** layer_ret) {
  if (!target || !num_entries_ret || !layer_ret || num_entries == 0) return CL_INVALID_VALUE;
  driver::set_layer_target(*target, num_entries);
  *num_entries_ret = std::min<cl_uint>(num_entries, sizeof(cl_icd_dispatch) / sizeof(void*));
  *layer_ret = &samcl_dispatch;
  return CL_SUCCESS;
}

}  // namespace

std::string with_our_layer(const std::string& layers, const std::string& our_path) {
  std::istringstream list(layers);
  for (std::string layer; std::getline(list, layer, ':');)
    if (same_file(layer, our_path)) return layers;
  return layers.empty() ? our_path : layers + ":" + our_path;
}

}  // namespace samcl

SAMCL_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* size_ret) {
  static constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  static constexpr char kName[] = "samcl";
  switch (name) {
    case CL_LAYER_API_VERSION: return samcl::give(&kVersion, sizeof(kVersion), size, value, size_ret);
    case CL_LAYER_NAME: return samcl::give(kName, sizeof(kName), size, value, size_ret);
    default: return CL_INVALID_VALUE;
  }
}

SAMCL_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target,
                                            cl_uint* num_entries_ret, const cl_icd_dispatch** layer_ret) {
  return samcl::init_layer(num_entries, target, num_entries_ret, layer_ret);
}

// Loaders of 2026 ask for these two and pass over a layer that has only clInitLayer. No property concerns us.
SAMCL_EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch* target,
                                                          cl_uint* num_entries_ret, const cl_icd_dispatch** layer_ret,
                                                          const cl_layer_properties*) {
  return samcl::init_layer(num_entries, target, num_entries_ret, layer_ret);
}

// The loader goes away with the process; what we hold ends with it.
SAMCL_EXPORT cl_int CL_API_CALL clDeinitLayer() { return CL_SUCCESS; }
