// An OpenCL layer that gives the driver beneath it cl_khr_external_memory_opaque_fd: the bytes of a file descriptor are
// those of a buffer. For drivers whose buffers over the program's memory are that memory, as PoCL's are.
#include <CL/cl_ext.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "tests/programs/opencl_layer.h"

namespace {

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  if (name != CL_DEVICE_EXTENSIONS) return beneath->clGetDeviceInfo(device, name, size, value, size_ret);
  size_t bytes = 0;
  if (const cl_int error = beneath->clGetDeviceInfo(device, name, 0, nullptr, &bytes); error != CL_SUCCESS)
    return error;
  std::string all(bytes, '\0');
  beneath->clGetDeviceInfo(device, name, bytes, all.data(), nullptr);
  all = std::string(all.c_str()) + " cl_khr_external_memory cl_khr_external_memory_opaque_fd";
  return answer(all.c_str(), all.size() + 1, size, value, size_ret);
}

cl_mem CL_API_CALL buffer(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags, size_t size,
                          void* host_ptr, cl_int* error) {
  if (!properties || *properties == 0)
    return beneath->clCreateBufferWithProperties(context, properties, flags, size, host_ptr, error);
  void* bytes = MAP_FAILED;
  if (properties[0] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR && properties[2] == 0)
    bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(properties[1]), 0);
  if (bytes == MAP_FAILED) {
    if (error) *error = CL_INVALID_PROPERTY;
    return nullptr;
  }
  return beneath->clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, size, bytes, error);
}

cl_int CL_API_CALL hand_over(cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_uint wait_count,
                             const cl_event* waits, cl_event* event) {
  for (cl_uint i = 0; i < count; ++i) {
    size_t bytes = 0;
    if (beneath->clGetMemObjectInfo(memory[i], CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
      return CL_INVALID_MEM_OBJECT;
  }
  return beneath->clEnqueueMarkerWithWaitList(queue, wait_count, waits, event);
}

void* CL_API_CALL function_of_platform(cl_platform_id platform, const char* name) {
  const std::string wanted(name);
  if (wanted == "clEnqueueAcquireExternalMemObjectsKHR" || wanted == "clEnqueueReleaseExternalMemObjectsKHR")
    return reinterpret_cast<void*>(&hand_over);
  return beneath->clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = device_info;
  table.clCreateBufferWithProperties = buffer;
  table.clGetExtensionFunctionAddressForPlatform = function_of_platform;
}
