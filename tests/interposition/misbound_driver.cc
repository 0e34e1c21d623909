// A driver that fills its dispatch table with the addresses of its own exported cl* functions and calls them
// by name. Under LD_PRELOAD the dynamic linker binds all of these to libsamcl.so's, as it does with
// Oclgrind's.
#include <CL/cl_icd.h>

#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct _cl_platform_id {
  const cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
  const cl_icd_dispatch* dispatch;
};

namespace {

extern const cl_icd_dispatch kTable;
_cl_platform_id g_platform{&kTable};
_cl_device_id g_device{&kTable};

cl_int give(const char* text, size_t size, void* value, size_t* size_ret) {
  if (value && size < std::strlen(text) + 1) return CL_INVALID_VALUE;
  if (value) std::strcpy(static_cast<char*>(value), text);
  if (size_ret) *size_ret = std::strlen(text) + 1;
  return CL_SUCCESS;
}

cl_int the_platform(cl_uint count, cl_platform_id* platforms, cl_uint* count_ret) {
  if (count && platforms) platforms[0] = &g_platform;
  if (count_ret) *count_ret = 1;
  return CL_SUCCESS;
}

}  // namespace

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id, cl_platform_info what, size_t size, void* value,
                                            size_t* size_ret) {
  if (what == CL_PLATFORM_EXTENSIONS) return give("cl_khr_icd", size, value, size_ret);
  if (what == CL_PLATFORM_ICD_SUFFIX_KHR) return give("TEST", size, value, size_ret);
  return give("Misbound", size, value, size_ret);
}

EXPORT cl_int CL_API_CALL clGetDeviceInfo(cl_device_id, cl_device_info what, size_t size, void* value,
                                          size_t* size_ret) {
  if (what != CL_DEVICE_NAME && what != CL_DEVICE_VENDOR) return CL_INVALID_VALUE;
  return give("misbound device", size, value, size_ret);
}

EXPORT cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint count, cl_device_id* devices,
                                         cl_uint* count_ret) {
  // Its own functions, called by name while a query of the program is under way.
  char name[64] = "";
  if (clGetDeviceInfo(&g_device, CL_DEVICE_VENDOR, sizeof(name), name, nullptr) != CL_SUCCESS ||
      std::strcmp(name, "misbound device") != 0)
    return CL_INVALID_DEVICE;
  cl_platform_id platform = nullptr;
  if (clGetPlatformInfo(&g_platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr) != CL_SUCCESS ||
      clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS || platform != &g_platform)
    return CL_INVALID_PLATFORM;
  if (count && devices) devices[0] = &g_device;
  if (count_ret) *count_ret = 1;
  return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clGetPlatformIDs(cl_uint count, cl_platform_id* platforms, cl_uint* count_ret) {
  return the_platform(count, platforms, count_ret);
}

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id* platforms, cl_uint* count_ret) {
  return the_platform(count, platforms, count_ret);
}

EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  if (!std::strcmp(name, "clIcdGetPlatformIDsKHR")) return reinterpret_cast<void*>(clIcdGetPlatformIDsKHR);
  if (!std::strcmp(name, "clGetPlatformInfo")) return reinterpret_cast<void*>(clGetPlatformInfo);
  return nullptr;
}

namespace {
// Everything else is left empty.
const cl_icd_dispatch kTable = [] {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = clGetPlatformIDs;
  table.clGetPlatformInfo = clGetPlatformInfo;
  table.clGetDeviceIDs = clGetDeviceIDs;
  table.clGetDeviceInfo = clGetDeviceInfo;
  table.clGetExtensionFunctionAddress = clGetExtensionFunctionAddress;
  return table;
}();
}  // namespace
