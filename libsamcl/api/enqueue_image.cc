// Images live on the first device: their commands keep their place in the virtual queue and run there.
#include <array>
#include <cstring>
#include <functional>

#include "entry_points.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/unwrap.h"

namespace samcl::api {
namespace {

using Region = std::array<size_t, 3>;
Region copy3(const size_t* values) { return {values[0], values[1], values[2]}; }

// Bytes of a region of an image without padding; 0 if the driver does not know the image.
uint64_t bytes_of(cl_mem image, const size_t* region) {
  size_t element = 0;
  driver::real().clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, nullptr);
  return static_cast<uint64_t>(element) * region[0] * region[1] * region[2];
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue handle, cl_mem image, cl_bool blocking, const size_t* origin,
                                      const size_t* region, size_t row_pitch, size_t slice_pitch, void* to,
                                      cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueReadImage(handle, image, blocking, origin, region, row_pitch, slice_pitch, to, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!image || is_virtual(image)) return CL_INVALID_MEM_OBJECT;
  if (!origin || !region || !to) return CL_INVALID_VALUE;
  return enqueue_on_first_device(queue, CL_COMMAND_READ_IMAGE, wait_count, waits, event, blocking, {}, {image},
                                 [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
                                   return cl.clEnqueueReadImage(real, image, CL_FALSE, o.data(), r.data(), row_pitch,
                                                                slice_pitch, to, 0, nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue handle, cl_mem image, cl_bool blocking, const size_t* origin,
                                       const size_t* region, size_t row_pitch, size_t slice_pitch, const void* from,
                                       cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueWriteImage(handle, image, blocking, origin, region, row_pitch, slice_pitch, from, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!image || is_virtual(image)) return CL_INVALID_MEM_OBJECT;
  if (!origin || !region || !from) return CL_INVALID_VALUE;
  return enqueue_on_first_device(queue, CL_COMMAND_WRITE_IMAGE, wait_count, waits, event, blocking, {}, {image},
                                 [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
                                   return cl.clEnqueueWriteImage(real, image, CL_FALSE, o.data(), r.data(), row_pitch,
                                                                 slice_pitch, from, 0, nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue handle, cl_mem image, const void* color, const size_t* origin,
                                      const size_t* region, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clEnqueueFillImage(handle, image, color, origin, region, wait_count, waits, event);
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!image || is_virtual(image)) return CL_INVALID_MEM_OBJECT;
  if (!color || !origin || !region) return CL_INVALID_VALUE;
  std::array<uint32_t, 4> value;  // four channels of 32 bits, or one of a depth image
  std::memcpy(value.data(), color, sizeof value);
  return enqueue_on_first_device(queue, CL_COMMAND_FILL_IMAGE, wait_count, waits, event, false, {}, {image},
                                 [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
                                   return cl.clEnqueueFillImage(real, image, value.data(), o.data(), r.data(), 0, nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue handle, cl_mem from, cl_mem to, const size_t* from_origin,
                                      const size_t* to_origin, const size_t* region, cl_uint wait_count,
                                      const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyImage(handle, from, to, from_origin, to_origin, region, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!from || !to || is_virtual(from) || is_virtual(to)) return CL_INVALID_MEM_OBJECT;
  if (!from_origin || !to_origin || !region) return CL_INVALID_VALUE;
  return enqueue_on_first_device(
      queue, CL_COMMAND_COPY_IMAGE, wait_count, waits, event, false, {}, {from, to},
      [=, &cl, f = copy3(from_origin), t = copy3(to_origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
        return cl.clEnqueueCopyImage(real, from, to, f.data(), t.data(), r.data(), 0, nullptr, done);
      });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue handle, cl_mem from, cl_mem to, const size_t* origin,
                                              const size_t* region, size_t offset, cl_uint wait_count,
                                              const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyImageToBuffer(handle, from, unwrap(to), origin, region, offset, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto buffer = find<Buffer>(to);
  if (!buffer || !from || is_virtual(from)) return CL_INVALID_MEM_OBJECT;
  if (!origin || !region) return CL_INVALID_VALUE;
  const uint64_t bytes = bytes_of(from, region);
  if (offset > buffer->size() || bytes > buffer->size() - offset) return CL_INVALID_VALUE;
  return enqueue_on_first_device(
      queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, wait_count, waits, event, false, {{buffer, offset, bytes, true}}, {from},
      [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
        cl_int error;
        cl_mem target = buffer->real(0, &error);
        return target ? cl.clEnqueueCopyImageToBuffer(real, from, target, o.data(), r.data(), offset, 0, nullptr, done) : error;
      });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue handle, cl_mem from, cl_mem to, size_t offset,
                                              const size_t* origin, const size_t* region, cl_uint wait_count,
                                              const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyBufferToImage(handle, unwrap(from), to, offset, origin, region, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto buffer = find<Buffer>(from);
  if (!buffer || !to || is_virtual(to)) return CL_INVALID_MEM_OBJECT;
  if (!origin || !region) return CL_INVALID_VALUE;
  const uint64_t bytes = bytes_of(to, region);
  if (offset > buffer->size() || bytes > buffer->size() - offset) return CL_INVALID_VALUE;
  return enqueue_on_first_device(
      queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, wait_count, waits, event, false, {{buffer, offset, bytes, false}}, {to},
      [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, cl_event* done) {
        cl_int error;
        cl_mem source = buffer->real(0, &error);
        return source ? cl.clEnqueueCopyBufferToImage(real, source, to, offset, o.data(), r.data(), 0, nullptr, done) : error;
      });
}

// The pointer must be known at once, so mapping an image waits for what comes before it.
void* CL_API_CALL clEnqueueMapImage(cl_command_queue handle, cl_mem image, cl_bool blocking, cl_map_flags flags,
                                    const size_t* origin, const size_t* region, size_t* row_pitch, size_t* slice_pitch,
                                    cl_uint wait_count, const cl_event* waits, cl_event* event, cl_int* errcode_ret) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueMapImage(handle, image, blocking, flags, origin, region, row_pitch, slice_pitch, wait_count,
                                waits, event, errcode_ret);
  }
  cl_int error = CL_SUCCESS;
  void* pointer = nullptr;
  auto queue = find<Queue>(handle);
  if (!queue) {
    error = CL_INVALID_COMMAND_QUEUE;
  } else if (!image || is_virtual(image)) {
    error = CL_INVALID_MEM_OBJECT;
  } else if (!origin || !region || !row_pitch) {
    error = CL_INVALID_VALUE;
  } else {
    error = enqueue_on_first_device(queue, CL_COMMAND_MAP_IMAGE, wait_count, waits, event, true, {}, {image},
                                    [&](cl_command_queue real, cl_event* done) {
                                      cl_int result = CL_SUCCESS;
                                      pointer = cl.clEnqueueMapImage(real, image, CL_FALSE, flags, origin, region,
                                                                     row_pitch, slice_pitch, 0, nullptr, done, &result);
                                      return result;
                                    });
  }
  if (errcode_ret) *errcode_ret = error;
  return error == CL_SUCCESS ? pointer : nullptr;
}

}  // namespace samcl::api
