// An OpenCL layer that gives the driver beneath it habits of other drivers:
//   - for every kernel it reports a work-group size far below what launches (NVIDIA: 256 of 1024);
//   - it knows nothing of kernels' arguments (many, unless built with -cl-kernel-arg-info).
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kReported = 4;

const cl_icd_dispatch* beneath = nullptr;
cl_icd_dispatch table;

cl_int CL_API_CALL work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                                   void* value, size_t* size_ret) {
  const cl_int error = beneath->clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
  if (error == CL_SUCCESS && name == CL_KERNEL_WORK_GROUP_SIZE && value) std::memcpy(value, &kReported, sizeof kReported);
  return error;
}

cl_int CL_API_CALL argument_info(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void*, size_t*) {
  return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

template <typename T>
cl_int give(T answer, size_t size, void* value, size_t* size_ret) {
  if (value && size < sizeof answer) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, &answer, sizeof answer);
  if (size_ret) *size_ret = sizeof answer;
  return CL_SUCCESS;
}

}  // namespace

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* size_ret) {
  return name == CL_LAYER_API_VERSION ? give<cl_layer_api_version>(CL_LAYER_API_VERSION_100, size, value, size_ret)
                                      : CL_INVALID_VALUE;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_ret,
                                      const cl_icd_dispatch** layer_ret) {
  beneath = target;
  std::memcpy(&table, target, entries * sizeof(void*));
  table.clGetKernelWorkGroupInfo = work_group_info;
  table.clGetKernelArgInfo = argument_info;
  *entries_ret = entries;
  *layer_ret = &table;
  return CL_SUCCESS;
}
