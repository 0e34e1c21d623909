// Commands on images. What moves between an image and the program's memory goes from and to where the pixels are
// needed, as with buffers; what moves within or between memory objects the first device does. Images of the driver's
// own (see image.cc) live there anyway.
#include <array>
#include <cstring>
#include <functional>
#include <limits>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
namespace {

using Region = std::array<size_t, 3>;
Region copy3(const size_t* values) { return {values[0], values[1], values[2]}; }

// An image of a command: ours, or the driver's own.
struct Operand {
  cl_mem handle = nullptr;
  std::shared_ptr<Buffer> ours = nullptr;

  cl_mem real(cl_int* error) const { return ours ? ours->real(0, error) : handle; }
};

cl_int find_image(const Queue& queue, cl_mem handle, Operand& found) {
  if (!handle) return CL_INVALID_MEM_OBJECT;
  found.handle = handle;
  if (!is_virtual(handle)) return CL_SUCCESS;
  found.ours = find<Buffer>(handle);
  if (!found.ours || !found.ours->image) return CL_INVALID_MEM_OBJECT;
  return check_object(queue, found.ours.get());
}

bool is_inside(const ImageLayout& image, const size_t* origin, const size_t* region) {
  const uint64_t size[3] = {image.width, image.height, image.depth};
  for (unsigned d = 0; d < 3; ++d) {
    if (region[d] == 0 || origin[d] > size[d] || region[d] > size[d] - origin[d]) return false;
  }
  return true;
}

bool is_inside(const Operand& image, const size_t* origin, const size_t* region) {
  return !image.ours || is_inside(image.ours->image->layout, origin, region);
}

// The rows of the program's memory; false if the pitches do not fit.
bool host_rows(const Image& image, const size_t* region, size_t row_pitch, size_t slice_pitch, Rectangle& rows) {
  rows.region = {region[0] * image.layout.pixel, region[1], region[2]};
  rows.row_pitch = row_pitch ? row_pitch : rows.region[0];
  rows.slice_pitch = slice_pitch ? slice_pitch : rows.row_pitch * region[1];
  return rows.row_pitch >= rows.region[0] && rows.slice_pitch >= rows.row_pitch * region[1];
}

// The driver's own images; and drivers do not agree on which pitch parts the layers of a 1D array.
bool is_for_the_driver(const Operand& image, size_t row_pitch, size_t slice_pitch) {
  return !image.ours || (image.ours->image->is_1d_array() && (row_pitch != 0 || slice_pitch != 0));
}

void add_part(std::vector<BufferPart>& parts, const Operand& image, const Region& origin, const Region& region,
              bool written) {
  if (image.ours) parts.push_back({image.ours, image.ours->image->rectangle(origin.data(), region.data()), written});
}

// Bytes of a region of an image without padding; 0 if the driver does not know the image.
uint64_t bytes_of(const Operand& image, const size_t* region) {
  size_t pixel = 0;
  if (image.ours) {
    pixel = image.ours->image->layout.pixel;
  } else {
    driver::real().clGetImageInfo(image.handle, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, nullptr);
  }
  return static_cast<uint64_t>(pixel) * region[0] * region[1] * region[2];
}

// Whether the buffer has these bytes.
bool fits(const Buffer& buffer, size_t offset, uint64_t bytes) {
  return bytes > 0 && offset <= buffer.size() && bytes <= buffer.size() - offset;
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue handle, cl_mem memory, cl_bool blocking, const size_t* origin,
                                      const size_t* region, size_t row_pitch, size_t slice_pitch, void* to,
                                      cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueReadImage(handle, memory, blocking, origin, region, row_pitch, slice_pitch, to, wait_count,
                                 waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  Operand image;
  if (cl_int error = find_image(*queue, memory, image); error != CL_SUCCESS) return error;
  if (!origin || !region || !to || !is_inside(image, origin, region)) return CL_INVALID_VALUE;
  if (is_for_the_driver(image, row_pitch, slice_pitch)) {
    const Region o = copy3(origin), r = copy3(region);
    std::vector<BufferPart> parts;
    add_part(parts, image, o, r, false);
    return enqueue_on_first_device(queue, CL_COMMAND_READ_IMAGE, wait_count, waits, event, blocking, parts, {memory},
                                   [=, &cl](cl_command_queue real, cl_event* done) {
                                     cl_int error = CL_SUCCESS;
                                     cl_mem source = image.real(&error);
                                     if (!source) return error;
                                     return cl.clEnqueueReadImage(real, source, CL_FALSE, o.data(), r.data(), row_pitch,
                                                                  slice_pitch, to, 0, nullptr, done);
                                   });
  }
  Rectangle host;
  if (!host_rows(*image.ours->image, region, row_pitch, slice_pitch, host)) return CL_INVALID_VALUE;
  if (!host_may_read(*image.ours)) return CL_INVALID_OPERATION;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const Rectangle rows = image.ours->image->rectangle(origin, region);
  CommandPtr command = rows.is_run() && host.is_run() ? read_buffer(image.ours, rows.offset, rows.bytes(), to)
                                                      : read_rectangle(image.ours, rows, host, to);
  return enqueue(queue, CL_COMMAND_READ_IMAGE, std::move(command), before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue handle, cl_mem memory, cl_bool blocking, const size_t* origin,
                                       const size_t* region, size_t row_pitch, size_t slice_pitch, const void* from,
                                       cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueWriteImage(handle, memory, blocking, origin, region, row_pitch, slice_pitch, from, wait_count,
                                  waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  Operand image;
  if (cl_int error = find_image(*queue, memory, image); error != CL_SUCCESS) return error;
  if (!origin || !region || !from || !is_inside(image, origin, region)) return CL_INVALID_VALUE;
  if (is_for_the_driver(image, row_pitch, slice_pitch)) {
    const Region o = copy3(origin), r = copy3(region);
    std::vector<BufferPart> parts;
    add_part(parts, image, o, r, true);
    return enqueue_on_first_device(queue, CL_COMMAND_WRITE_IMAGE, wait_count, waits, event, blocking, parts, {memory},
                                   [=, &cl](cl_command_queue real, cl_event* done) {
                                     cl_int error = CL_SUCCESS;
                                     cl_mem target = image.real(&error);
                                     if (!target) return error;
                                     return cl.clEnqueueWriteImage(real, target, CL_FALSE, o.data(), r.data(),
                                                                   row_pitch, slice_pitch, from, 0, nullptr, done);
                                   });
  }
  Rectangle host;
  if (!host_rows(*image.ours->image, region, row_pitch, slice_pitch, host)) return CL_INVALID_VALUE;
  if (!host_may_write(*image.ours)) return CL_INVALID_OPERATION;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const Rectangle rows = image.ours->image->rectangle(origin, region);
  CommandPtr command = rows.is_run() && host.is_run() ? write_buffer(image.ours, rows.offset, rows.bytes(), from)
                                                      : write_rectangle(image.ours, rows, host, from);
  return enqueue(queue, CL_COMMAND_WRITE_IMAGE, std::move(command), before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue handle, cl_mem memory, const void* color, const size_t* origin,
                                      const size_t* region, cl_uint wait_count, const cl_event* waits,
                                      cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle))
    return cl.clEnqueueFillImage(handle, memory, color, origin, region, wait_count, waits, event);
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  Operand image;
  if (cl_int error = find_image(*queue, memory, image); error != CL_SUCCESS) return error;
  if (!color || !origin || !region || !is_inside(image, origin, region)) return CL_INVALID_VALUE;
  const bool is_depth = image.ours && image.ours->image->format.image_channel_order == CL_DEPTH;
  std::array<uint32_t, 4> value{};  // four channels of 32 bits, or one of a depth image
  std::memcpy(value.data(), color, is_depth ? sizeof value[0] : sizeof value);
  const Region o = copy3(origin), r = copy3(region);
  std::vector<BufferPart> parts;
  add_part(parts, image, o, r, true);
  return enqueue_on_first_device(queue, CL_COMMAND_FILL_IMAGE, wait_count, waits, event, false, parts, {memory},
                                 [=, &cl](cl_command_queue real, cl_event* done) {
                                   cl_int error = CL_SUCCESS;
                                   cl_mem target = image.real(&error);
                                   if (!target) return error;
                                   return cl.clEnqueueFillImage(real, target, value.data(), o.data(), r.data(), 0,
                                                                nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                      const size_t* from_origin, const size_t* to_origin, const size_t* region,
                                      cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyImage(handle, from_memory, to_memory, from_origin, to_origin, region, wait_count, waits,
                                 event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  Operand from, to;
  if (cl_int error = find_image(*queue, from_memory, from); error != CL_SUCCESS) return error;
  if (cl_int error = find_image(*queue, to_memory, to); error != CL_SUCCESS) return error;
  if (!from_origin || !to_origin || !region || !is_inside(from, from_origin, region) ||
      !is_inside(to, to_origin, region)) {
    return CL_INVALID_VALUE;
  }
  if (from.ours && to.ours) {
    const cl_image_format &a = from.ours->image->format, &b = to.ours->image->format;
    if (std::memcmp(&a, &b, sizeof a) != 0) return CL_IMAGE_FORMAT_MISMATCH;
    if (from.ours->storage == to.ours->storage &&
        overlap(from.ours->image->rectangle(from_origin, region), to.ours->image->rectangle(to_origin, region))) {
      return CL_MEM_COPY_OVERLAP;
    }
  }
  const Region f = copy3(from_origin), t = copy3(to_origin), r = copy3(region);
  std::vector<BufferPart> parts;
  add_part(parts, from, f, r, false);
  add_part(parts, to, t, r, true);
  return enqueue_on_first_device(queue, CL_COMMAND_COPY_IMAGE, wait_count, waits, event, false, parts,
                                 {from_memory, to_memory}, [=, &cl](cl_command_queue real, cl_event* done) {
                                   cl_int error = CL_SUCCESS;
                                   cl_mem source = from.real(&error);
                                   cl_mem target = source ? to.real(&error) : nullptr;
                                   if (!target) return error;
                                   return cl.clEnqueueCopyImage(real, source, target, f.data(), t.data(), r.data(), 0,
                                                                nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                              const size_t* origin, const size_t* region, size_t offset,
                                              cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyImageToBuffer(handle, from_memory, unwrap(to_memory), origin, region, offset, wait_count,
                                         waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(to_memory)) {
    if (!origin || !region) return CL_INVALID_VALUE;
    return enqueue_on_drivers_own(
        queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, wait_count, waits, event, false,
        {{from_memory, false}, {to_memory, true}},
        [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, const cl_mem* memory, cl_event* done) {
          return cl.clEnqueueCopyImageToBuffer(real, memory[0], memory[1], o.data(), r.data(), offset, 0, nullptr,
                                               done);
        });
  }
  Operand from;
  if (cl_int error = find_image(*queue, from_memory, from); error != CL_SUCCESS) return error;
  auto to = find<Buffer>(to_memory);
  if (cl_int error = check_buffer(*queue, to.get()); error != CL_SUCCESS) return error;
  if (!origin || !region || !is_inside(from, origin, region)) return CL_INVALID_VALUE;
  const uint64_t bytes = bytes_of(from, region);
  if (!fits(*to, offset, bytes)) return CL_INVALID_VALUE;
  const Region o = copy3(origin), r = copy3(region);
  std::vector<BufferPart> parts{{to, Rectangle::run(offset, bytes), true}};
  add_part(parts, from, o, r, false);
  return enqueue_on_first_device(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, wait_count, waits, event, false, parts,
                                 {from_memory}, [=, &cl](cl_command_queue real, cl_event* done) {
                                   cl_int error = CL_SUCCESS;
                                   cl_mem source = from.real(&error);
                                   cl_mem target = source ? to->real(0, &error) : nullptr;
                                   if (!target) return error;
                                   return cl.clEnqueueCopyImageToBuffer(real, source, target, o.data(), r.data(),
                                                                        offset, 0, nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                              size_t offset, const size_t* origin, const size_t* region,
                                              cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueCopyBufferToImage(handle, unwrap(from_memory), to_memory, offset, origin, region, wait_count,
                                         waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(from_memory)) {
    if (!origin || !region) return CL_INVALID_VALUE;
    return enqueue_on_drivers_own(
        queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, wait_count, waits, event, false,
        {{from_memory, false}, {to_memory, true}},
        [=, &cl, o = copy3(origin), r = copy3(region)](cl_command_queue real, const cl_mem* memory, cl_event* done) {
          return cl.clEnqueueCopyBufferToImage(real, memory[0], memory[1], offset, o.data(), r.data(), 0, nullptr,
                                               done);
        });
  }
  auto from = find<Buffer>(from_memory);
  if (cl_int error = check_buffer(*queue, from.get()); error != CL_SUCCESS) return error;
  Operand to;
  if (cl_int error = find_image(*queue, to_memory, to); error != CL_SUCCESS) return error;
  if (!origin || !region || !is_inside(to, origin, region)) return CL_INVALID_VALUE;
  const uint64_t bytes = bytes_of(to, region);
  if (!fits(*from, offset, bytes)) return CL_INVALID_VALUE;
  const Region o = copy3(origin), r = copy3(region);
  std::vector<BufferPart> parts{{from, Rectangle::run(offset, bytes), false}};
  add_part(parts, to, o, r, true);
  return enqueue_on_first_device(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, wait_count, waits, event, false, parts,
                                 {to_memory}, [=, &cl](cl_command_queue real, cl_event* done) {
                                   cl_int error = CL_SUCCESS;
                                   cl_mem source = from->real(0, &error);
                                   cl_mem target = source ? to.real(&error) : nullptr;
                                   if (!target) return error;
                                   return cl.clEnqueueCopyBufferToImage(real, source, target, offset, o.data(),
                                                                        r.data(), 0, nullptr, done);
                                 });
}

namespace {

// The driver's own image. The pointer must be known at once, so this waits for what comes before it.
void* map_on_first_device(const std::shared_ptr<Queue>& queue, cl_mem image, cl_map_flags flags, const size_t* origin,
                          const size_t* region, size_t* row_pitch, size_t* slice_pitch, cl_uint wait_count,
                          const cl_event* waits, cl_event* event, cl_int* errcode_ret) {
  void* pointer = nullptr;
  const cl_int error = enqueue_on_first_device(queue, CL_COMMAND_MAP_IMAGE, wait_count, waits, event, true, {}, {image},
                                               [&](cl_command_queue real, cl_event* done) {
                                                 cl_int result = CL_SUCCESS;
                                                 pointer = driver::real().clEnqueueMapImage(
                                                     real, image, CL_FALSE, flags, origin, region, row_pitch,
                                                     slice_pitch, 0, nullptr, done, &result);
                                                 return result;
                                               });
  return error == CL_SUCCESS ? created(errcode_ret, pointer) : failed(errcode_ret, error);
}

}  // namespace

void* CL_API_CALL clEnqueueMapImage(cl_command_queue handle, cl_mem memory, cl_bool blocking, cl_map_flags flags,
                                    const size_t* origin, const size_t* region, size_t* row_pitch, size_t* slice_pitch,
                                    cl_uint wait_count, const cl_event* waits, cl_event* event, cl_int* errcode_ret) {
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueMapImage(handle, memory, blocking, flags, origin, region, row_pitch, slice_pitch,
                                            wait_count, waits, event, errcode_ret);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return failed(errcode_ret, CL_INVALID_COMMAND_QUEUE);
  Operand operand;
  if (cl_int error = find_image(*queue, memory, operand); error != CL_SUCCESS) return failed(errcode_ret, error);
  if (!origin || !region || !row_pitch || !is_inside(operand, origin, region))
    return failed(errcode_ret, CL_INVALID_VALUE);
  if (!operand.ours) {
    return map_on_first_device(queue, memory, flags, origin, region, row_pitch, slice_pitch, wait_count, waits, event,
                               errcode_ret);
  }
  const std::shared_ptr<Buffer> buffer = operand.ours;
  const Image& image = *buffer->image;
  const bool has_slices = image.is_1d_array() || image.description.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                          image.description.image_type == CL_MEM_OBJECT_IMAGE3D;
  if (has_slices && !slice_pitch) return failed(errcode_ret, CL_INVALID_VALUE);
  if (cl_int error = check_map_flags(*queue->context, flags); error != CL_SUCCESS) return failed(errcode_ret, error);
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return failed(errcode_ret, before.error);
  if (!host_may_map(*buffer, flags)) return failed(errcode_ret, CL_INVALID_OPERATION);
  std::byte* const host = buffer->storage->host();
  if (!host) return failed(errcode_ret, CL_OUT_OF_HOST_MEMORY);
  Rectangle rows = image.rectangle(origin, region);
  rows.offset += buffer->range.begin;
  void* const pointer = host + rows.offset;
  buffer->add_mapping({pointer, rows, flags});
  cl_int error = enqueue(queue, CL_COMMAND_MAP_IMAGE, map_buffer(buffer, rows, flags), before.events, event, blocking);
  if (error != CL_SUCCESS) {
    buffer->remove_mapping(pointer);
    return failed(errcode_ret, error);
  }
  *row_pitch = image.layout.row_pitch;
  if (slice_pitch)
    *slice_pitch = image.is_1d_array() ? image.layout.row_pitch : has_slices ? image.layout.slice_pitch : 0;
  return created(errcode_ret, pointer);
}

}  // namespace samcl::api
