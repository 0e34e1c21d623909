// Reading, writing and copying rectangular parts of buffers.
// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <limits>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
namespace {

constexpr uint64_t kHostSize = std::numeric_limits<uint64_t>::max();  // we don't know where the program's memory ends

using Size3 = std::array<size_t, 3>;

// The three sizes, where all that is needed to ask the driver about a rectangle is there.
bool copy_sizes(const size_t* origin, const size_t* other_origin, const size_t* region, std::array<Size3, 3>& sizes) {
  if (!origin || !other_origin || !region) return false;
  std::copy_n(origin, 3, sizes[0].begin());
  std::copy_n(other_origin, 3, sizes[1].begin());
  std::copy_n(region, 3, sizes[2].begin());
  return true;
}

}  // namespace

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue handle, cl_mem memory, cl_bool blocking,
                                           const size_t* origin, const size_t* host_origin, const size_t* region,
                                           size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                                           size_t host_slice_pitch, void* to, cl_uint wait_count, const cl_event* waits,
                                           cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueReadBufferRect(handle, unwrap(memory), blocking, origin, host_origin, region,
                                                  row_pitch, slice_pitch, host_row_pitch, host_slice_pitch, to,
                                                  wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(memory)) {
    std::array<Size3, 3> sizes;
    if (!copy_sizes(origin, host_origin, region, sizes)) return CL_INVALID_VALUE;
    return enqueue_on_drivers_own(queue, CL_COMMAND_READ_BUFFER_RECT, wait_count, waits, event, blocking,
                                  {{memory, false}}, [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueReadBufferRect(
                                        real, buffers[0], CL_FALSE, sizes[0].data(), sizes[1].data(), sizes[2].data(),
                                        row_pitch, slice_pitch, host_row_pitch, host_slice_pitch, to, 0, nullptr, done);
                                  });
  }
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!to || !is_rectangle(origin, region, row_pitch, slice_pitch, buffer->size()) ||
      !is_rectangle(host_origin, region, host_row_pitch, host_slice_pitch, kHostSize)) {
    std::array<Size3, 3> sizes;
    if (!to || !copy_sizes(origin, host_origin, region, sizes)) return CL_INVALID_VALUE;
    return enqueue_as_given(queue, CL_COMMAND_READ_BUFFER_RECT, wait_count, waits, event, blocking,
                            all_of(buffer, false), [=](cl_command_queue real, cl_event* done) {
                              cl_int error = CL_SUCCESS;
                              const cl_mem from = buffer->real(0, &error);
                              if (!from) return error;
                              return driver::real().clEnqueueReadBufferRect(
                                  real, from, CL_FALSE, sizes[0].data(), sizes[1].data(), sizes[2].data(), row_pitch,
                                  slice_pitch, host_row_pitch, host_slice_pitch, to, 0, nullptr, done);
                            });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_read(*buffer)) return CL_INVALID_OPERATION;
  auto command = read_rectangle(std::move(buffer), Rectangle::of(origin, region, row_pitch, slice_pitch),
                                Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch), to);
  return enqueue(queue, CL_COMMAND_READ_BUFFER_RECT, std::move(command), before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue handle, cl_mem memory, cl_bool blocking,
                                            const size_t* origin, const size_t* host_origin, const size_t* region,
                                            size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                                            size_t host_slice_pitch, const void* from, cl_uint wait_count,
                                            const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueWriteBufferRect(handle, unwrap(memory), blocking, origin, host_origin, region,
                                                   row_pitch, slice_pitch, host_row_pitch, host_slice_pitch, from,
                                                   wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(memory)) {
    std::array<Size3, 3> sizes;
    if (!copy_sizes(origin, host_origin, region, sizes)) return CL_INVALID_VALUE;
    return enqueue_on_drivers_own(queue, CL_COMMAND_WRITE_BUFFER_RECT, wait_count, waits, event, blocking,
                                  {{memory, true}}, [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
                                    return driver::real().clEnqueueWriteBufferRect(
                                        real, buffers[0], CL_FALSE, sizes[0].data(), sizes[1].data(), sizes[2].data(),
                                        row_pitch, slice_pitch, host_row_pitch, host_slice_pitch, from, 0, nullptr,
                                        done);
                                  });
  }
  auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) return error;
  if (!from || !is_rectangle(origin, region, row_pitch, slice_pitch, buffer->size()) ||
      !is_rectangle(host_origin, region, host_row_pitch, host_slice_pitch, kHostSize)) {
    std::array<Size3, 3> sizes;
    if (!from || !copy_sizes(origin, host_origin, region, sizes)) return CL_INVALID_VALUE;
    return enqueue_as_given(queue, CL_COMMAND_WRITE_BUFFER_RECT, wait_count, waits, event, blocking,
                            all_of(buffer, true), [=](cl_command_queue real, cl_event* done) {
                              cl_int error = CL_SUCCESS;
                              const cl_mem to = buffer->real(0, &error);
                              if (!to) return error;
                              return driver::real().clEnqueueWriteBufferRect(
                                  real, to, CL_FALSE, sizes[0].data(), sizes[1].data(), sizes[2].data(), row_pitch,
                                  slice_pitch, host_row_pitch, host_slice_pitch, from, 0, nullptr, done);
                            });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (!host_may_write(*buffer)) return CL_INVALID_OPERATION;
  auto command = write_rectangle(std::move(buffer), Rectangle::of(origin, region, row_pitch, slice_pitch),
                                 Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch), from);
  return enqueue(queue, CL_COMMAND_WRITE_BUFFER_RECT, std::move(command), before.events, event, blocking);
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue handle, cl_mem from_memory, cl_mem to_memory,
                                           const size_t* from_origin, const size_t* to_origin, const size_t* region,
                                           size_t from_row_pitch, size_t from_slice_pitch, size_t to_row_pitch,
                                           size_t to_slice_pitch, cl_uint wait_count, const cl_event* waits,
                                           cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueCopyBufferRect(
        handle, unwrap(from_memory), unwrap(to_memory), from_origin, to_origin, region, from_row_pitch,
        from_slice_pitch, to_row_pitch, to_slice_pitch, wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (is_drivers_own(from_memory) || is_drivers_own(to_memory)) {
    std::array<Size3, 3> sizes;
    if (!copy_sizes(from_origin, to_origin, region, sizes)) return CL_INVALID_VALUE;
    return enqueue_on_drivers_own(
        queue, CL_COMMAND_COPY_BUFFER_RECT, wait_count, waits, event, false, {{from_memory, false}, {to_memory, true}},
        [=](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
          return driver::real().clEnqueueCopyBufferRect(real, buffers[0], buffers[1], sizes[0].data(), sizes[1].data(),
                                                        sizes[2].data(), from_row_pitch, from_slice_pitch, to_row_pitch,
                                                        to_slice_pitch, 0, nullptr, done);
        });
  }
  auto from = find<Buffer>(from_memory);
  auto to = find<Buffer>(to_memory);
  if (const cl_int error = check_buffer(*queue, from.get()); error != CL_SUCCESS) return error;
  if (const cl_int error = check_buffer(*queue, to.get()); error != CL_SUCCESS) return error;
  if (!is_rectangle(from_origin, region, from_row_pitch, from_slice_pitch, from->size()) ||
      !is_rectangle(to_origin, region, to_row_pitch, to_slice_pitch, to->size())) {
    std::array<Size3, 3> sizes;
    if (!copy_sizes(from_origin, to_origin, region, sizes)) return CL_INVALID_VALUE;
    std::vector<BufferPart> parts = all_of(to, true);
    parts.push_back(all_of(from, false)[0]);
    return enqueue_as_given(queue, CL_COMMAND_COPY_BUFFER_RECT, wait_count, waits, event, false, std::move(parts),
                            [=](cl_command_queue real, cl_event* done) {
                              cl_int error = CL_SUCCESS;
                              const cl_mem source = from->real(0, &error);
                              const cl_mem target = source ? to->real(0, &error) : nullptr;
                              if (!target) return error;
                              return driver::real().clEnqueueCopyBufferRect(
                                  real, source, target, sizes[0].data(), sizes[1].data(), sizes[2].data(),
                                  from_row_pitch, from_slice_pitch, to_row_pitch, to_slice_pitch, 0, nullptr, done);
                            });
  }
  const Rectangle source = Rectangle::of(from_origin, region, from_row_pitch, from_slice_pitch);
  const Rectangle target = Rectangle::of(to_origin, region, to_row_pitch, to_slice_pitch);
  if (from == to && (source.row_pitch != target.row_pitch || source.slice_pitch != target.slice_pitch)) {
    return CL_INVALID_VALUE;
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  if (from->storage == to->storage) {
    Rectangle a = source, b = target;
    a.offset += from->range.begin;
    b.offset += to->range.begin;
    if (overlap(a, b)) return CL_MEM_COPY_OVERLAP;
  }
  return enqueue(queue, CL_COMMAND_COPY_BUFFER_RECT, copy_rectangle(std::move(from), std::move(to), source, target),
                 before.events, event, false);
}

}  // namespace samcl::api
