// Reading, writing, copying and filling linear parts of buffers.
// clang-format off
#include "libsamcl/runtime/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl.h>

#include <vector>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
namespace {

bool is_pattern_size(size_t size) {
  return size > 0 && size <= 128 && (size & (size - 1)) == 0;
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue handle, cl_mem memory, cl_bool blocking,
                                       size_t offset, size_t bytes, void* to, cl_uint wait_count,
                                       const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueReadBuffer(handle, unwrap(memory), blocking, offset, bytes, to, wait_count,
                                              UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!to || !in_bounds(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_read(*buffer)) return CL_INVALID_OPERATION;
  return enqueue(queue, CL_COMMAND_READ_BUFFER, read_buffer(std::move(buffer), offset, bytes, to),
                 before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue handle, cl_mem memory, cl_bool blocking,
                                        size_t offset, size_t bytes, const void* from, cl_uint wait_count,
                                        const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueWriteBuffer(handle, unwrap(memory), blocking, offset, bytes, from,
                                               wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!from || !in_bounds(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_write(*buffer)) return CL_INVALID_OPERATION;
  return enqueue(queue, CL_COMMAND_WRITE_BUFFER, write_buffer(std::move(buffer), offset, bytes, from),
                 before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                       size_t from_offset, size_t to_offset, size_t bytes, cl_uint wait_count,
                                       const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueCopyBuffer(handle, unwrap(from_memory), unwrap(to_memory), from_offset,
                                              to_offset, bytes, wait_count,
                                              UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto from = find<Buffer>(from_memory);
  auto to = find<Buffer>(to_memory);
  if (const cl_int error = check_buffer(*queue, from.get()); error != CL_SUCCESS) return error;
  if (const cl_int error = check_buffer(*queue, to.get()); error != CL_SUCCESS) return error;
  if (!in_bounds(*from, from_offset, bytes) || !in_bounds(*to, to_offset, bytes)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (from->storage == to->storage &&
      !intersect(from->part(from_offset, bytes), to->part(to_offset, bytes)).empty()) {
    return CL_MEM_COPY_OVERLAP;
  }
  return enqueue(queue, CL_COMMAND_COPY_BUFFER,
                 copy_buffer(std::move(from), std::move(to), from_offset, to_offset, bytes), before.events,
                 event, false);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue handle, cl_mem memory, const void* pattern,
                                       size_t pattern_size, size_t offset, size_t bytes, cl_uint wait_count,
                                       const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueFillBuffer(handle, unwrap(memory), pattern, pattern_size, offset, bytes,
                                              wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!in_bounds(*buffer, offset, bytes) || !pattern || !is_pattern_size(pattern_size))
    return CL_INVALID_VALUE;
  if (offset % pattern_size != 0 || bytes % pattern_size != 0) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const auto* first = static_cast<const std::byte*>(pattern);
  return enqueue(queue, CL_COMMAND_FILL_BUFFER,
                 fill_buffer(std::move(buffer), offset, bytes, std::vector(first, first + pattern_size)),
                 before.events, event, false);
}

}  // namespace samcl::api
