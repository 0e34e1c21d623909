// Reading, writing, copying, filling and mapping buffers: what is wrong is said at once.
#include <cstring>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/info.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/unwrap.h"

namespace samcl::api {
namespace {

// The virtual objects of one call, and what is wrong with them.
struct Call {
  std::shared_ptr<Queue> queue;
  std::shared_ptr<Buffer> buffer;
  Waits waits;
  cl_int error = CL_SUCCESS;
};

Call look_up(cl_command_queue queue, cl_mem buffer, cl_uint wait_count, const cl_event* waits) {
  Call call;
  call.queue = find<Queue>(queue);
  call.buffer = is_virtual(buffer) ? find<Buffer>(buffer) : nullptr;
  if (!call.queue) {
    call.error = CL_INVALID_COMMAND_QUEUE;
  } else if (!call.buffer) {
    call.error = CL_INVALID_MEM_OBJECT;
  } else if (call.buffer->context() != call.queue->context) {
    call.error = CL_INVALID_CONTEXT;
  } else {
    call.waits = wait_list(*call.queue->context, wait_count, waits);
    call.error = call.waits.error;
  }
  return call;
}

bool inside(const Buffer& buffer, uint64_t offset, uint64_t bytes) {
  return offset <= buffer.size() && bytes <= buffer.size() - offset;
}

cl_int check_host_access(const Buffer& buffer, cl_mem_flags forbidden) {
  return buffer.flags & (forbidden | CL_MEM_HOST_NO_ACCESS) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int go(const Call& call, cl_command_type type, CommandPtr command, cl_event* event, bool blocking) {
  return enqueue(call.queue, type, std::move(command), call.waits.events, event, blocking);
}

// The rules that the three rectangle functions share. origin, region: as given; end: bytes there are.
cl_int check_rectangle(const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch) {
  if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0) return CL_INVALID_VALUE;
  if (row_pitch != 0 && row_pitch < region[0]) return CL_INVALID_VALUE;
  const size_t row = row_pitch ? row_pitch : region[0];
  if (slice_pitch != 0 && (slice_pitch < region[1] * row || slice_pitch % row != 0)) return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

bool rows_meet(const Rectangle& a, const Rectangle& b) {
  bool meet = false;
  a.for_each_row([&](uint64_t, Range first) {
    if (meet || intersect(first, b.bounds()).empty()) return;
    b.for_each_row([&](uint64_t, Range second) { meet |= !intersect(first, second).empty(); });
  });
  return meet;
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                       void* to, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueReadBuffer(queue, unwrap(buffer), blocking, offset, bytes, to, wait_count, waits, event);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  if (!to || bytes == 0 || !inside(*call.buffer, offset, bytes)) return CL_INVALID_VALUE;
  if (cl_int error = check_host_access(*call.buffer, CL_MEM_HOST_WRITE_ONLY)) return error;
  return go(call, CL_COMMAND_READ_BUFFER, read_buffer(call.buffer, offset, bytes, to), event, blocking);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                        const void* from, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueWriteBuffer(queue, unwrap(buffer), blocking, offset, bytes, from, wait_count, waits, event);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  if (!from || bytes == 0 || !inside(*call.buffer, offset, bytes)) return CL_INVALID_VALUE;
  if (cl_int error = check_host_access(*call.buffer, CL_MEM_HOST_READ_ONLY)) return error;
  return go(call, CL_COMMAND_WRITE_BUFFER, write_buffer(call.buffer, offset, bytes, from), event, blocking);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                                       size_t offset, size_t bytes, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueFillBuffer(queue, unwrap(buffer), pattern, pattern_size, offset, bytes, wait_count, waits, event);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  const bool power = pattern_size != 0 && pattern_size <= 128 && (pattern_size & (pattern_size - 1)) == 0;
  if (!pattern || !power || bytes == 0 || !inside(*call.buffer, offset, bytes) || offset % pattern_size != 0 || bytes % pattern_size != 0) {
    return CL_INVALID_VALUE;
  }
  const auto* first = static_cast<const std::byte*>(pattern);
  return go(call, CL_COMMAND_FILL_BUFFER, fill_buffer(call.buffer, offset, bytes, {first, first + pattern_size}), event, false);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                       size_t bytes, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueCopyBuffer(queue, unwrap(from), unwrap(to), from_offset, to_offset, bytes, wait_count, waits, event);
  }
  Call call = look_up(queue, from, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  auto target = is_virtual(to) ? find<Buffer>(to) : nullptr;
  if (!target) return CL_INVALID_MEM_OBJECT;
  if (target->context() != call.queue->context) return CL_INVALID_CONTEXT;
  if (bytes == 0 || !inside(*call.buffer, from_offset, bytes) || !inside(*target, to_offset, bytes)) return CL_INVALID_VALUE;
  if (target->storage == call.buffer->storage &&
      !intersect(call.buffer->part(from_offset, bytes), target->part(to_offset, bytes)).empty()) {
    return CL_MEM_COPY_OVERLAP;
  }
  return go(call, CL_COMMAND_COPY_BUFFER, copy_buffer(call.buffer, target, from_offset, to_offset, bytes), event, false);
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                                           const size_t* host_origin, const size_t* region, size_t row_pitch,
                                           size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void* to,
                                           cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueReadBufferRect(queue, unwrap(buffer), blocking, origin, host_origin, region, row_pitch,
                                                  slice_pitch, host_row_pitch, host_slice_pitch, to, wait_count, waits, event);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  if (cl_int error = check_rectangle(origin, region, row_pitch, slice_pitch)) return error;
  if (cl_int error = check_rectangle(host_origin, region, host_row_pitch, host_slice_pitch)) return error;
  const Rectangle there = Rectangle::of(origin, region, row_pitch, slice_pitch);
  const Rectangle here = Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch);
  if (!to || there.bounds().end > call.buffer->size()) return CL_INVALID_VALUE;
  if (cl_int error = check_host_access(*call.buffer, CL_MEM_HOST_WRITE_ONLY)) return error;
  return go(call, CL_COMMAND_READ_BUFFER_RECT, read_rectangle(call.buffer, there, here, to), event, blocking);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                                            const size_t* host_origin, const size_t* region, size_t row_pitch,
                                            size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                            const void* from, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueWriteBufferRect(queue, unwrap(buffer), blocking, origin, host_origin, region, row_pitch,
                                                   slice_pitch, host_row_pitch, host_slice_pitch, from, wait_count, waits, event);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  if (cl_int error = check_rectangle(origin, region, row_pitch, slice_pitch)) return error;
  if (cl_int error = check_rectangle(host_origin, region, host_row_pitch, host_slice_pitch)) return error;
  const Rectangle there = Rectangle::of(origin, region, row_pitch, slice_pitch);
  const Rectangle here = Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch);
  if (!from || there.bounds().end > call.buffer->size()) return CL_INVALID_VALUE;
  if (cl_int error = check_host_access(*call.buffer, CL_MEM_HOST_READ_ONLY)) return error;
  return go(call, CL_COMMAND_WRITE_BUFFER_RECT, write_rectangle(call.buffer, there, here, from), event, blocking);
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                                           const size_t* to_origin, const size_t* region, size_t from_row_pitch,
                                           size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch,
                                           cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueCopyBufferRect(queue, unwrap(from), unwrap(to), from_origin, to_origin, region,
                                                  from_row_pitch, from_slice_pitch, to_row_pitch, to_slice_pitch,
                                                  wait_count, waits, event);
  }
  Call call = look_up(queue, from, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  auto target = is_virtual(to) ? find<Buffer>(to) : nullptr;
  if (!target) return CL_INVALID_MEM_OBJECT;
  if (target->context() != call.queue->context) return CL_INVALID_CONTEXT;
  if (cl_int error = check_rectangle(from_origin, region, from_row_pitch, from_slice_pitch)) return error;
  if (cl_int error = check_rectangle(to_origin, region, to_row_pitch, to_slice_pitch)) return error;
  Rectangle source = Rectangle::of(from_origin, region, from_row_pitch, from_slice_pitch);
  Rectangle aim = Rectangle::of(to_origin, region, to_row_pitch, to_slice_pitch);
  if (source.bounds().end > call.buffer->size() || aim.bounds().end > target->size()) return CL_INVALID_VALUE;
  if (call.buffer == target && (source.row_pitch != aim.row_pitch || source.slice_pitch != aim.slice_pitch)) return CL_INVALID_VALUE;
  if (call.buffer->storage == target->storage) {
    Rectangle a = source, b = aim;
    a.offset += call.buffer->range.begin;
    b.offset += target->range.begin;
    if (rows_meet(a, b)) return CL_MEM_COPY_OVERLAP;
  }
  return go(call, CL_COMMAND_COPY_BUFFER_RECT, copy_rectangle(call.buffer, target, source, aim), event, false);
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t bytes, cl_uint wait_count, const cl_event* waits,
                                     cl_event* event, cl_int* errcode_ret) {
  if (!is_virtual(queue)) {
    return driver::real().clEnqueueMapBuffer(queue, unwrap(buffer), blocking, flags, offset, bytes, wait_count, waits,
                                             event, errcode_ret);
  }
  Call call = look_up(queue, buffer, wait_count, waits);
  if (call.error != CL_SUCCESS) return failed(errcode_ret, call.error);
  constexpr cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  const bool invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION;
  if (bytes == 0 || !inside(*call.buffer, offset, bytes) || (flags & ~known) || (invalidates && (flags & (CL_MAP_READ | CL_MAP_WRITE)))) {
    return failed(errcode_ret, CL_INVALID_VALUE);
  }
  cl_mem_flags forbidden = 0;
  if (flags & CL_MAP_READ) forbidden |= CL_MEM_HOST_WRITE_ONLY;
  if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) forbidden |= CL_MEM_HOST_READ_ONLY;
  if (cl_int error = check_host_access(*call.buffer, forbidden)) return failed(errcode_ret, error);
  std::byte* host = call.buffer->storage->host();
  if (!host) return failed(errcode_ret, CL_MAP_FAILURE);
  const Range range = call.buffer->part(offset, bytes);
  void* pointer = host + range.begin;
  call.buffer->add_mapping({pointer, range, flags});
  const cl_int error = go(call, CL_COMMAND_MAP_BUFFER, map_buffer(call.buffer, range, flags), event, blocking);
  if (error != CL_SUCCESS) {
    call.buffer->remove_mapping(pointer);
    return failed(errcode_ret, error);
  }
  return created(errcode_ret, pointer);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void* pointer, cl_uint wait_count,
                                           const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(queue)) return cl.clEnqueueUnmapMemObject(queue, unwrap(object), pointer, wait_count, waits, event);
  if (object && !is_virtual(object)) {
    auto image_queue = find<Queue>(queue);
    if (!image_queue) return CL_INVALID_COMMAND_QUEUE;
    return enqueue_on_first_device(image_queue, CL_COMMAND_UNMAP_MEM_OBJECT, wait_count, waits, event, false, {}, {object},
                                   [=, &cl](cl_command_queue real, cl_event* done) {
                                     return cl.clEnqueueUnmapMemObject(real, object, pointer, 0, nullptr, done);
                                   });
  }
  Call call = look_up(queue, object, wait_count, waits);
  if (call.error != CL_SUCCESS) return call.error;
  auto mapping = call.buffer->remove_mapping(pointer);
  if (!mapping) return CL_INVALID_VALUE;
  return go(call, CL_COMMAND_UNMAP_MEM_OBJECT, unmap_buffer(call.buffer, *mapping), event, false);
}

// Where bytes are is samcl's own choice; the command keeps its place in the order.
cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue handle, cl_uint count, const cl_mem* objects,
                                              cl_mem_migration_flags flags, cl_uint wait_count, const cl_event* waits,
                                              cl_event* event) {
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueMigrateMemObjects(handle, count, objects, flags, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || !objects || (flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))) {
    return CL_INVALID_VALUE;
  }
  for (cl_uint i = 0; i < count; ++i) {
    if (!objects[i] || (is_virtual(objects[i]) && !find<Buffer>(objects[i]))) return CL_INVALID_MEM_OBJECT;
  }
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  return enqueue(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, std::make_unique<EmptyCommand>(), before.events, event, false);
}

}  // namespace samcl::api
