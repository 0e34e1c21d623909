// Reading, writing, copying and filling linear parts of buffers.
// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl.h>

#include <algorithm>
#include <vector>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/device/pinned_transfer.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue handle, cl_mem memory, cl_bool blocking, size_t offset,
                                       size_t bytes, void* to, cl_uint wait_count, const cl_event* waits,
                                       cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    const UnwrappedList before(wait_count, waits);
    if (blocking) {
      if (const auto done = transfer_pinned(handle, Direction::down, unwrap(memory), offset, bytes,
                                            static_cast<std::byte*>(to), wait_count, before.get(), event))
        return *done;
    }
    return driver::real().clEnqueueReadBuffer(handle, unwrap(memory), blocking, offset, bytes, to, wait_count,
                                              before.get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(memory)) {
    return enqueue_on_drivers_own(queue, CL_COMMAND_READ_BUFFER, wait_count, waits, event, blocking, {{memory, false}},
                                  [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueReadBuffer(real, buffers[0], CL_FALSE, offset, bytes,
                                                                              to, 0, nullptr, done);
                                  });
  }
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!to || !in_bounds(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_read(*buffer)) return CL_INVALID_OPERATION;
  return enqueue(queue, CL_COMMAND_READ_BUFFER, read_buffer(std::move(buffer), offset, bytes, to), before.events, event,
                 blocking);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue handle, cl_mem memory, cl_bool blocking, size_t offset,
                                        size_t bytes, const void* from, cl_uint wait_count, const cl_event* waits,
                                        cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    const UnwrappedList before(wait_count, waits);
    if (blocking) {
      // The driver's queue does not write to it.
      auto* const host = static_cast<std::byte*>(const_cast<void*>(from));
      if (const auto done = transfer_pinned(handle, Direction::up, unwrap(memory), offset, bytes, host, wait_count,
                                            before.get(), event))
        return *done;
    }
    return driver::real().clEnqueueWriteBuffer(handle, unwrap(memory), blocking, offset, bytes, from, wait_count,
                                               before.get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(memory)) {
    return enqueue_on_drivers_own(queue, CL_COMMAND_WRITE_BUFFER, wait_count, waits, event, blocking, {{memory, true}},
                                  [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueWriteBuffer(real, buffers[0], CL_FALSE, offset,
                                                                               bytes, from, 0, nullptr, done);
                                  });
  }
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!from || !in_bounds(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_write(*buffer)) return CL_INVALID_OPERATION;
  return enqueue(queue, CL_COMMAND_WRITE_BUFFER, write_buffer(std::move(buffer), offset, bytes, from), before.events,
                 event, blocking);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                       size_t from_offset, size_t to_offset, size_t bytes, cl_uint wait_count,
                                       const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueCopyBuffer(handle, unwrap(from_memory), unwrap(to_memory), from_offset, to_offset,
                                              bytes, wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(from_memory) || is_drivers_own(to_memory)) {
    return enqueue_on_drivers_own(queue, CL_COMMAND_COPY_BUFFER, wait_count, waits, event, false,
                                  {{from_memory, false}, {to_memory, true}},
                                  [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueCopyBuffer(real, buffers[0], buffers[1], from_offset,
                                                                              to_offset, bytes, 0, nullptr, done);
                                  });
  }
  auto from = find<Buffer>(from_memory);
  auto to = find<Buffer>(to_memory);
  if (const cl_int error = check_buffer(*queue, from.get()); error != CL_SUCCESS) return error;
  if (const cl_int error = check_buffer(*queue, to.get()); error != CL_SUCCESS) return error;
  if (!in_bounds(*from, from_offset, bytes) || !in_bounds(*to, to_offset, bytes)) return CL_INVALID_VALUE;
  if (bytes == 0) {
    return enqueue_as_given(
        queue, CL_COMMAND_COPY_BUFFER, wait_count, waits, event, false, {}, [=](cl_command_queue real, cl_event* done) {
          cl_int error = CL_SUCCESS;
          const cl_mem source = from->real(0, &error);
          const cl_mem target = source ? to->real(0, &error) : nullptr;
          if (!target) return error;
          return driver::real().clEnqueueCopyBuffer(real, source, target, from_offset, to_offset, 0, 0, nullptr, done);
        });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (from->storage == to->storage && !intersect(from->part(from_offset, bytes), to->part(to_offset, bytes)).empty()) {
    return CL_MEM_COPY_OVERLAP;
  }
  return enqueue(queue, CL_COMMAND_COPY_BUFFER,
                 copy_buffer(std::move(from), std::move(to), from_offset, to_offset, bytes), before.events, event,
                 false);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue handle, cl_mem memory, const void* pattern, size_t pattern_size,
                                       size_t offset, size_t bytes, cl_uint wait_count, const cl_event* waits,
                                       cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueFillBuffer(handle, unwrap(memory), pattern, pattern_size, offset, bytes, wait_count,
                                              UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(memory)) {
    if (!pattern) return CL_INVALID_VALUE;
    const auto* first = static_cast<const std::byte*>(pattern);
    std::vector<std::byte> value(first, first + std::min<size_t>(pattern_size, 4096));
    return enqueue_on_drivers_own(queue, CL_COMMAND_FILL_BUFFER, wait_count, waits, event, false, {{memory, true}},
                                  [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueFillBuffer(
                                        real, buffers[0], value.data(), pattern_size, offset, bytes, 0, nullptr, done);
                                  });
  }
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!in_bounds(*buffer, offset, bytes) || !pattern) return CL_INVALID_VALUE;
  const auto* first = static_cast<const std::byte*>(pattern);
  std::vector<std::byte> value(first, first + std::min<size_t>(pattern_size, 4096));
  if (!is_pattern_size(pattern_size) || offset % pattern_size != 0 || bytes % pattern_size != 0) {
    return enqueue_as_given(queue, CL_COMMAND_FILL_BUFFER, wait_count, waits, event, false, all_of(buffer, true),
                            [=](cl_command_queue real, cl_event* done) {
                              cl_int error = CL_SUCCESS;
                              const cl_mem target = buffer->real(0, &error);
                              if (!target) return error;
                              return driver::real().clEnqueueFillBuffer(real, target, value.data(), pattern_size,
                                                                        offset, bytes, 0, nullptr, done);
                            });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  return enqueue(queue, CL_COMMAND_FILL_BUFFER, fill_buffer(std::move(buffer), offset, bytes, std::move(value)),
                 before.events, event, false);
}

}  // namespace samcl::api
