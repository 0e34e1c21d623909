// Mapping, unmapping and migrating memory objects.
// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl.h>

#include <vector>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/svm_mapping.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
namespace {

cl_int check_memory(const Queue& queue, cl_mem memory) {
  if (is_drivers_own(memory)) return check_drivers_own(queue, memory);
  return check_object(queue, find<Buffer>(memory).get());
}

}  // namespace

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue handle, cl_mem memory, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t bytes, cl_uint wait_count, const cl_event* waits,
                                     cl_event* event, cl_int* errcode_ret) {
  if (!handle) return failed(errcode_ret, CL_INVALID_COMMAND_QUEUE);
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueMapBuffer(handle, unwrap(memory), blocking, flags, offset, bytes, wait_count,
                                             UnwrappedList(wait_count, waits).get(), event, errcode_ret);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return failed(errcode_ret, CL_INVALID_COMMAND_QUEUE);
  if (is_drivers_own(memory)) {
    void* mapped = nullptr;
    const cl_int error = enqueue_on_drivers_own(
        queue, CL_COMMAND_MAP_BUFFER, wait_count, waits, event, true, {{memory, true}},
        [&mapped, flags, offset, bytes](cl_command_queue real, const cl_mem* buffers, cl_event* done) {
          cl_int result = CL_SUCCESS;
          mapped = driver::real().clEnqueueMapBuffer(real, buffers[0], CL_FALSE, flags, offset, bytes, 0, nullptr, done,
                                                     &result);
          return result;
        });
    return error == CL_SUCCESS ? created(errcode_ret, mapped) : failed(errcode_ret, error);
  }
  const auto buffer = find<Buffer>(memory);
  if (const cl_int error = check_buffer(*queue, buffer.get()); error != CL_SUCCESS) {
    return failed(errcode_ret, error);
  }
  if (bytes == 0 || !in_bounds(*buffer, offset, bytes)) return failed(errcode_ret, CL_INVALID_VALUE);
  if (const cl_int error = check_map_flags(*queue->context, flags); error != CL_SUCCESS)
    return failed(errcode_ret, error);
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return failed(errcode_ret, before.error);
  if (!host_may_map(*buffer, flags)) return failed(errcode_ret, CL_INVALID_OPERATION);

  if (buffer->storage->svm() && !buffer->storage->shared()) {
    void* const pointer = static_cast<std::byte*>(buffer->host_ptr) + offset;
    const Rectangle run = Rectangle::run(buffer->range.begin + offset, bytes);
    const cl_int error =
        map_svm(queue, CL_COMMAND_MAP_BUFFER, blocking, buffer, {pointer, run, flags}, wait_count, waits, event);
    return error == CL_SUCCESS ? created(errcode_ret, pointer) : failed(errcode_ret, error);
  }
  std::byte* const host = buffer->storage->host();
  if (!host) return failed(errcode_ret, CL_OUT_OF_HOST_MEMORY);
  const Rectangle run = Rectangle::run(buffer->range.begin + offset, bytes);
  void* const pointer = host + run.offset;
  buffer->add_mapping({pointer, run, flags});
  const cl_int error =
      enqueue(queue, CL_COMMAND_MAP_BUFFER, map_buffer(buffer, run, flags), before.events, event, blocking);
  if (error != CL_SUCCESS) {
    buffer->remove_mapping(pointer);
    return failed(errcode_ret, error);
  }
  return created(errcode_ret, pointer);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue handle, cl_mem memory, void* pointer, cl_uint wait_count,
                                           const cl_event* waits, cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueUnmapMemObject(handle, unwrap(memory), pointer, wait_count,
                                                  UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (const cl_int error = check_memory(*queue, memory); error != CL_SUCCESS) return error;
  if (!pointer) return CL_INVALID_VALUE;
  if (!is_virtual(memory)) {
    return enqueue_on_first_device(queue, CL_COMMAND_UNMAP_MEM_OBJECT, wait_count, waits, event, false, {}, {memory},
                                   [memory, pointer](cl_command_queue real, cl_event* done) {
                                     return driver::real().clEnqueueUnmapMemObject(real, memory, pointer, 0, nullptr,
                                                                                   done);
                                   });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const auto buffer = find<Buffer>(memory);
  const auto mapping = buffer ? buffer->remove_mapping(pointer) : std::nullopt;
  if (!mapping) return CL_INVALID_VALUE;
  if (buffer->storage->svm() && !buffer->storage->shared() && !buffer->image) {
    return unmap_svm(queue, CL_COMMAND_UNMAP_MEM_OBJECT, buffer, *mapping, wait_count, waits, event);
  }
  // What was only read has no effect, and nobody can see whether it has ended.
  if (mapping->flags == CL_MAP_READ && wait_count == 0 && !event && !queue->context->has_lost_device) return CL_SUCCESS;
  return enqueue(queue, CL_COMMAND_UNMAP_MEM_OBJECT, unmap_buffer(buffer, *mapping), before.events, event, false);
}

// A hint. Where bytes are worth having is ours to decide, so it only takes its place in the queue.
cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue handle, cl_uint count, const cl_mem* memories,
                                              cl_mem_migration_flags flags, cl_uint wait_count, const cl_event* waits,
                                              cl_event* event) {
  if (!handle) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(handle)) {
    return driver::real().clEnqueueMigrateMemObjects(handle, count, UnwrappedList(count, memories).get(), flags,
                                                     wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  const auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || !memories) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i) {
    if (const cl_int error = check_memory(*queue, memories[i]); error != CL_SUCCESS) return error;
  }
  if (!is_migration(flags)) return CL_INVALID_VALUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  return enqueue(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, std::make_unique<EmptyCommand>(), before.events, event, false);
}

}  // namespace samcl::api
