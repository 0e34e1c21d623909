// An OpenCL layer that gives the driver beneath it habits of other drivers:
//   - its devices are GPUs, whose memory is not the host's;
//   - for every kernel it reports a work-group size far below what launches (NVIDIA: 256 of 1024);
//   - it knows nothing of kernels' arguments (many, unless built with -cl-kernel-arg-info);
//   - it refuses rectangles whose last row would leave the buffer if it were as long as its pitch;
//   - its devices tell a coarser alignment of sub-buffers than they need (NVIDIA);
//   - it refuses macros of any number of arguments up to OpenCL C 2.0 (NVIDIA);
//   - it takes pitches of slices of images only if they are multiples of the rows' (NVIDIA).

#include <cstring>
#include <string>
#include <string_view>

#include "tests/programs/opencl_layer.h"

namespace {

constexpr size_t kReported = 4;

cl_int CL_API_CALL work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                                   void* value, size_t* size_ret) {
  const cl_int error = beneath->clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
  if (error == CL_SUCCESS && name == CL_KERNEL_WORK_GROUP_SIZE && value)
    std::memcpy(value, &kReported, sizeof kReported);
  return error;
}

constexpr cl_device_type kGpu = CL_DEVICE_TYPE_GPU, kOthers = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR;

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  constexpr cl_bool kIsApart = CL_FALSE;
  if (name == CL_DEVICE_TYPE) return answer(&kGpu, sizeof kGpu, size, value, size_ret);
  if (name == CL_DEVICE_HOST_UNIFIED_MEMORY) return answer(&kIsApart, sizeof kIsApart, size, value, size_ret);
  const cl_int error = beneath->clGetDeviceInfo(device, name, size, value, size_ret);
  if (error == CL_SUCCESS && name == CL_DEVICE_MEM_BASE_ADDR_ALIGN && value) {
    cl_uint bits = 0;
    std::memcpy(&bits, value, sizeof bits);
    bits *= 4;
    std::memcpy(value, &bits, sizeof bits);
  }
  return error;
}

cl_device_type type_beneath(cl_device_type type) {
  if (type & kGpu) return CL_DEVICE_TYPE_ALL;
  return type & kOthers ? CL_DEVICE_TYPE_CUSTOM : type;
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id* devices,
                              cl_uint* count) {
  return beneath->clGetDeviceIDs(platform, type_beneath(type), entries, devices, count);
}

cl_int CL_API_CALL argument_info(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void*, size_t*) {
  return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  const std::string_view given = options ? options : "";
  const auto names = [&](const char* standard) { return given.find(standard) != std::string_view::npos; };
  size_t size = 0;
  beneath->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size);
  std::string source(size, '\0');
  beneath->clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source.data(), nullptr);
  if ((names("-cl-std=CL1.") || names("-cl-std=CL2.")) && source.find("__VA_ARGS__") != std::string::npos)
    return CL_BUILD_PROGRAM_FAILURE;
  return beneath->clBuildProgram(program, count, devices, options, notify, data);
}

bool leaves(cl_mem buffer, const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch) {
  size_t bytes = 0;
  beneath->clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  if (row_pitch == 0) row_pitch = region[0];
  if (slice_pitch == 0) slice_pitch = region[1] * row_pitch;
  return (origin[2] + region[2] - 1) * slice_pitch + (origin[1] + region[1]) * row_pitch > bytes;
}

template <auto kBeneath, typename Memory>
cl_int CL_API_CALL host_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                             const size_t* host_origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                             size_t host_row_pitch, size_t host_slice_pitch, Memory* host, cl_uint count,
                             const cl_event* waits, cl_event* event) {
  if (leaves(buffer, origin, region, row_pitch, slice_pitch)) return CL_INVALID_VALUE;
  return (beneath->*kBeneath)(queue, buffer, blocking, origin, host_origin, region, row_pitch, slice_pitch,
                              host_row_pitch, host_slice_pitch, host, count, waits, event);
}

cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                             const size_t* to_origin, const size_t* region, size_t from_row_pitch,
                             size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch, cl_uint count,
                             const cl_event* waits, cl_event* event) {
  if (leaves(from, from_origin, region, from_row_pitch, from_slice_pitch)) return CL_INVALID_VALUE;
  if (leaves(to, to_origin, region, to_row_pitch, to_slice_pitch)) return CL_INVALID_VALUE;
  return beneath->clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, from_row_pitch,
                                          from_slice_pitch, to_row_pitch, to_slice_pitch, count, waits, event);
}

template <auto kBeneath, typename Memory>
cl_int CL_API_CALL host_pixels(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                               const size_t* region, size_t row_pitch, size_t slice_pitch, Memory* host, cl_uint count,
                               const cl_event* waits, cl_event* event) {
  size_t pixel = 0;
  beneath->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, nullptr);
  if (slice_pitch % (row_pitch ? row_pitch : region[0] * pixel) != 0) return CL_INVALID_VALUE;
  return (beneath->*kBeneath)(queue, image, blocking, origin, region, row_pitch, slice_pitch, host, count, waits,
                              event);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = device_info;
  table.clGetDeviceIDs = device_ids;
  table.clGetKernelWorkGroupInfo = work_group_info;
  table.clGetKernelArgInfo = argument_info;
  table.clBuildProgram = build;
  table.clEnqueueWriteBufferRect = host_rect<&cl_icd_dispatch::clEnqueueWriteBufferRect, const void>;
  table.clEnqueueReadBufferRect = host_rect<&cl_icd_dispatch::clEnqueueReadBufferRect, void>;
  table.clEnqueueCopyBufferRect = copy_rect;
  table.clEnqueueWriteImage = host_pixels<&cl_icd_dispatch::clEnqueueWriteImage, const void>;
  table.clEnqueueReadImage = host_pixels<&cl_icd_dispatch::clEnqueueReadImage, void>;
}
