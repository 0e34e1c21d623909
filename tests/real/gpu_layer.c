// A layer of OpenCL (OPENCL_LAYERS names it) for programs that take GPUs only: each device says that it is one. Options
// of a build lose their quotation marks, which PoCL takes for part of a path.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_icd_dispatch table;
static const struct _cl_icd_dispatch* below;

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices,
                                     cl_uint* count) {
  (void)type;
  return below->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, devices, count);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t room, void* value,
                                      size_t* size) {
  cl_int error = below->clGetDeviceInfo(device, name, room, value, size);
  if (!error && name == CL_DEVICE_TYPE && value) *(cl_device_type*)value = CL_DEVICE_TYPE_GPU;
  return error;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                void(CL_CALLBACK* done)(cl_program, void*), void* user) {
  char *plain = options ? strdup(options) : NULL, *end = plain;
  for (const char* letter = plain; letter && *letter; letter++)
    if (*letter != '"') *end++ = *letter;
  if (end) *end = 0;
  cl_int error = below->clBuildProgram(program, count, devices, plain, done, user);
  free(plain);
  return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void* value, size_t* size) {
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value && room >= sizeof(cl_layer_api_version)) *(cl_layer_api_version*)value = CL_LAYER_API_VERSION_100;
  if (size) *size = sizeof(cl_layer_api_version);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch* target, cl_uint* made_count,
                                            const struct _cl_icd_dispatch** made) {
  (void)count;
  below = target;
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
  table.clBuildProgram = build;
  *made = &table;
  *made_count = sizeof table / sizeof table.clGetPlatformIDs;
  return CL_SUCCESS;
}
