// An OpenCL layer that gives the driver beneath it habits of PoCL's remote driver, by which name its devices then go:
// rows of host memory for a rectangle, or for a region of an image, are taken to lie without gaps, whatever their
// pitch.

#include <string>

#include "base/rectangle.h"
#include "tests/programs/opencl_layer.h"

namespace {

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  if (name != CL_DEVICE_VERSION) return beneath->clGetDeviceInfo(device, name, size, value, size_ret);
  size_t bytes = 0;
  cl_int error = beneath->clGetDeviceInfo(device, name, 0, nullptr, &bytes);
  std::string version(bytes, '\0');
  if (error == CL_SUCCESS) error = beneath->clGetDeviceInfo(device, name, bytes, version.data(), nullptr);
  if (error != CL_SUCCESS) return error;
  version.resize(bytes - 1);
  version += " pocl-remote";
  return answer(version.c_str(), version.size() + 1, size, value, size_ret);
}

template <auto kBeneath, typename Memory, typename Byte>
cl_int CL_API_CALL host_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                             const size_t* host_origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                             size_t host_row_pitch, size_t host_slice_pitch, Memory* host, cl_uint count,
                             const cl_event* waits, cl_event* event) {
  Memory* const first =
      static_cast<Byte*>(host) + samcl::Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch).offset;
  const size_t begin[3] = {0, 0, 0};
  return (beneath->*kBeneath)(queue, buffer, blocking, origin, begin, region, row_pitch, slice_pitch, 0, 0, first,
                              count, waits, event);
}

template <auto kBeneath, typename Memory>
cl_int CL_API_CALL host_pixels(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
                               const size_t* region, size_t, size_t, Memory* host, cl_uint count, const cl_event* waits,
                               cl_event* event) {
  return (beneath->*kBeneath)(queue, image, blocking, origin, region, 0, 0, host, count, waits, event);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = device_info;
  table.clEnqueueWriteBufferRect = host_rect<&cl_icd_dispatch::clEnqueueWriteBufferRect, const void, const char>;
  table.clEnqueueReadBufferRect = host_rect<&cl_icd_dispatch::clEnqueueReadBufferRect, void, char>;
  table.clEnqueueWriteImage = host_pixels<&cl_icd_dispatch::clEnqueueWriteImage, const void>;
  table.clEnqueueReadImage = host_pixels<&cl_icd_dispatch::clEnqueueReadImage, void>;
}
