#include "tests/programs/opencl_layer.h"

#include <CL/cl_layer.h>

#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

const cl_icd_dispatch* beneath = nullptr;

namespace {
cl_icd_dispatch table;
}  // namespace

cl_int answer(const void* bytes, size_t length, size_t size, void* value, size_t* size_ret) {
  if (value && size < length) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, bytes, length);
  if (size_ret) *size_ret = length;
  return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  return name == CL_LAYER_API_VERSION ? answer(&version, sizeof version, size, value, size_ret) : CL_INVALID_VALUE;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_ret,
                                      const cl_icd_dispatch** layer_ret) {
  beneath = target;
  std::memcpy(&table, target, entries * sizeof(void*));
  replace(table);
  *entries_ret = entries;
  *layer_ret = &table;
  return CL_SUCCESS;
}
