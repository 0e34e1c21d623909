// Kernels and their arguments. Queries are answered by the real kernel of the program's own source.
#include "libsamcl/program/kernel.h"

#include "entry_points.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {

cl_kernel CL_API_CALL clCreateKernel(cl_program handle, const char* name, cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clCreateKernel(handle, name, errcode_ret);
  auto program = find<Program>(handle);
  cl_int error = CL_INVALID_PROGRAM;
  cl_kernel real = program ? cl.clCreateKernel(program->original, name, &error) : nullptr;
  if (errcode_ret) *errcode_ret = error;
  return real ? Kernel::hand_out(Kernel::make_shared(program, real)) : nullptr;
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program handle, cl_uint count, cl_kernel* kernels, cl_uint* count_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clCreateKernelsInProgram(handle, count, kernels, count_ret);
  auto program = find<Program>(handle);
  if (!program) return CL_INVALID_PROGRAM;
  cl_uint made = 0;
  const cl_int error = cl.clCreateKernelsInProgram(program->original, count, kernels, &made);
  if (error != CL_SUCCESS) return error;
  for (cl_uint i = 0; kernels && i < made && i < count; ++i) {
    kernels[i] = Kernel::hand_out(Kernel::make_shared(program, kernels[i]));
  }
  if (count_ret) *count_ret = made;
  return CL_SUCCESS;
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel handle, cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clCloneKernel(handle, errcode_ret);
  auto kernel = find<Kernel>(handle);
  cl_int error = CL_INVALID_KERNEL;
  cl_kernel real = kernel ? cl.clCloneKernel(kernel->checked, &error) : nullptr;
  if (errcode_ret) *errcode_ret = error;
  if (!real) return nullptr;
  auto clone = Kernel::make_shared(kernel->program, real);
  clone->copy_arguments(*kernel);
  return Kernel::hand_out(std::move(clone));
}

cl_int CL_API_CALL clRetainKernel(cl_kernel handle) {
  if (!is_virtual(handle)) return driver::real().clRetainKernel(handle);
  auto kernel = find<Kernel>(handle);
  if (!kernel) return CL_INVALID_KERNEL;
  kernel->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel handle) {
  if (!is_virtual(handle)) return driver::real().clReleaseKernel(handle);
  auto kernel = find<Kernel>(handle);
  if (!kernel) return CL_INVALID_KERNEL;
  if (kernel->release()) kernel->program->context->tell_untold();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void* value) {
  if (!is_virtual(handle)) return driver::real().clSetKernelArg(handle, index, size, value);
  auto kernel = find<Kernel>(handle);
  return kernel ? kernel->set_argument(index, size, value) : CL_INVALID_KERNEL;
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void* pointer) {
  if (!is_virtual(handle)) return driver::real().clSetKernelArgSVMPointer(handle, index, pointer);
  auto kernel = find<Kernel>(handle);
  return kernel ? kernel->set_svm_argument(index, pointer) : CL_INVALID_KERNEL;
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info name, size_t size, const void* value) {
  if (!is_virtual(handle)) return driver::real().clSetKernelExecInfo(handle, name, size, value);
  auto kernel = find<Kernel>(handle);
  return kernel ? kernel->set_exec_info(name, size, value) : CL_INVALID_KERNEL;
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel handle, cl_kernel_info param, size_t size, void* value, size_t* size_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clGetKernelInfo(handle, param, size, value, size_ret);
  auto kernel = find<Kernel>(handle);
  if (!kernel) return CL_INVALID_KERNEL;
  const Answer answer{size, value, size_ret};
  switch (param) {
    case CL_KERNEL_CONTEXT: return answer.with<cl_context>(kernel->program->context->api());
    case CL_KERNEL_PROGRAM: return answer.with<cl_program>(kernel->program->api());
    case CL_KERNEL_REFERENCE_COUNT: return answer.with<cl_uint>(kernel->references());
    default: return cl.clGetKernelInfo(kernel->checked, param, size, value, size_ret);
  }
}

namespace {

// No device stands for the only one; the real context may have more.
cl_device_id only_device(cl_kernel handle, cl_device_id device) {
  const auto kernel = device ? nullptr : find<Kernel>(handle);
  return kernel ? kernel->program->context->devices[0]->id : unwrap(device);
}

}  // namespace

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param,
                                            size_t size, void* value, size_t* size_ret) {
  return driver::real().clGetKernelWorkGroupInfo(unwrap(kernel), only_device(kernel, device), param, size, value,
                                                 size_ret);
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param,
                                           size_t input_size, const void* input, size_t size, void* value,
                                           size_t* size_ret) {
  return driver::real().clGetKernelSubGroupInfo(unwrap(kernel), only_device(kernel, device), param, input_size, input,
                                                size, value, size_ret);
}

}  // namespace samcl::api
