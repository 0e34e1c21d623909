// Shared virtual memory. It is the first device's, whose driver does the commands on it, in the virtual queue's order;
// what other devices have of it is brought there first.
#include <algorithm>
#include <cstring>
#include <utility>

#include "entry_points.h"
#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/svm_mapping.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/objects/svm.h"

namespace samcl::api {
namespace {

uint64_t offset_in(const Buffer& allocation, const void* pointer) {
  return static_cast<uint64_t>(static_cast<const std::byte*>(pointer) -
                               static_cast<const std::byte*>(allocation.host_ptr));
}

// What lies in an allocation of the bytes from an address on; nothing if it is in none.
std::vector<BufferPart> part_at(const Context& context, const void* pointer, size_t bytes, bool written) {
  const auto allocation = svm::at(context, pointer);
  if (!allocation || bytes == 0) return {};
  const uint64_t offset = offset_in(*allocation, pointer);
  return {{allocation, Rectangle::run(offset, std::min<uint64_t>(bytes, allocation->size() - offset)), written}};
}

std::vector<BufferPart> both(std::vector<BufferPart> parts, const std::vector<BufferPart>& more) {
  parts.insert(parts.end(), more.begin(), more.end());
  return parts;
}

// Gives allocations back when all that uses them has ended, or has the program do it.
class FreeSvm : public Command {
 public:
  using Function = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void**, void*);

  FreeSvm(std::shared_ptr<Queue> queue, std::vector<void*> pointers, Function function, void* user_data)
      : queue_(std::move(queue)), pointers_(std::move(pointers)), function_(function), user_data_(user_data) {}

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    event->set_running();
    const Context& context = *queue_->context;
    Planner::Accesses accesses{Planner::untracked()};
    for (void* pointer : pointers_) {
      const auto allocation = svm::at(context, pointer);
      if (!allocation) continue;
      accesses.push_back({allocation->storage, kHost, allocation->range, true});
      for (const auto& device : context.devices)
        accesses.push_back({allocation->storage, device->index, allocation->range, true});
    }
    planner.add({engine::LaneKind::host, 0}, engine::HostCall{[this] { return free(); }}, std::move(accesses));
    return CL_SUCCESS;
  }

 private:
  cl_int free() {
    if (function_) {
      function_(queue_->api(), static_cast<cl_uint>(pointers_.size()), pointers_.data(), user_data_);
    } else {
      for (void* pointer : pointers_) samcl::api::clSVMFree(queue_->context->api(), pointer);
    }
    return CL_SUCCESS;
  }

  const std::shared_ptr<Queue> queue_;
  std::vector<void*> pointers_;
  const Function function_;
  void* const user_data_;
};

}  // namespace

void* CL_API_CALL clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  void* const memory = driver::real().clSVMAlloc(unwrap(handle), flags, size, alignment);
  const auto context = memory ? find<Context>(handle) : nullptr;
  if (context) svm::note(context, memory, size, flags);
  return memory;
}

// The driver gets it back when the last command that uses it has ended.
void CL_API_CALL clSVMFree(cl_context handle, void* memory) {
  const auto context = find<Context>(handle);
  const auto allocation = context ? svm::forget(*context, memory) : nullptr;
  if (!allocation) driver::real().clSVMFree(unwrap(handle), memory);
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue handle, cl_uint count, void** pointers, FreeSvm::Function function,
                                    void* user_data, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueSVMFree(handle, count, pointers, function, user_data, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || !pointers) {
    return enqueue_as_given(queue, CL_COMMAND_SVM_FREE, wait_count, waits, event, false, {},
                            [=, &cl](cl_command_queue real, cl_event* done) {
                              return cl.clEnqueueSVMFree(real, count, pointers, function, user_data, 0, nullptr, done);
                            });
  }
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  auto command = std::make_unique<FreeSvm>(queue, std::vector<void*>(pointers, pointers + count), function, user_data);
  return enqueue(queue, CL_COMMAND_SVM_FREE, std::move(command), before.events, event, false);
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue handle, cl_bool blocking, void* to, const void* from,
                                      size_t bytes, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clEnqueueSVMMemcpy(handle, blocking, to, from, bytes, wait_count, waits, event);
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  const auto call = [=, &cl](cl_command_queue real, cl_event* done) {
    return cl.clEnqueueSVMMemcpy(real, CL_FALSE, to, from, bytes, 0, nullptr, done);
  };
  const auto *begin = static_cast<const std::byte*>(from), *target = static_cast<std::byte*>(to);
  const bool overlap = begin < target + bytes && target < begin + bytes;
  if (!to || !from || bytes == 0 || overlap) {
    return enqueue_as_given(queue, CL_COMMAND_SVM_MEMCPY, wait_count, waits, event, blocking, {}, call);
  }
  return enqueue_on_first_device(
      queue, CL_COMMAND_SVM_MEMCPY, wait_count, waits, event, blocking,
      both(part_at(*queue->context, from, bytes, false), part_at(*queue->context, to, bytes, true)), {}, call);
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue handle, void* to, const void* pattern, size_t pattern_size,
                                       size_t bytes, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueSVMMemFill(handle, to, pattern, pattern_size, bytes, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!to || !pattern) return CL_INVALID_VALUE;
  const auto* first = static_cast<const std::byte*>(pattern);
  const auto call = [=, &cl, kept = std::vector<std::byte>(first, first + std::min<size_t>(pattern_size, 4096))](
                        cl_command_queue real, cl_event* done) {
    return cl.clEnqueueSVMMemFill(real, to, kept.data(), pattern_size, bytes, 0, nullptr, done);
  };
  auto parts = part_at(*queue->context, to, bytes, true);
  if (bytes > 0 && is_pattern_size(pattern_size) && bytes % pattern_size == 0 &&
      reinterpret_cast<uintptr_t>(to) % pattern_size == 0) {
    return enqueue_on_first_device(queue, CL_COMMAND_SVM_MEMFILL, wait_count, waits, event, false, std::move(parts), {},
                                   call);
  }
  return enqueue_as_given(queue, CL_COMMAND_SVM_MEMFILL, wait_count, waits, event, false, std::move(parts), call);
}

cl_int map_svm(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_bool blocking,
               const std::shared_ptr<Buffer>& buffer, const Buffer::Mapping& mapping, cl_uint wait_count,
               const cl_event* waits, cl_event* event) {
  const Rectangle rows = mapping.rows.moved(-buffer->range.begin);
  std::vector<BufferPart> parts;
  if (!(mapping.flags & CL_MAP_WRITE_INVALIDATE_REGION)) parts.push_back({buffer, rows, false});
  if (mapping.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) parts.push_back({buffer, rows, true});
  buffer->add_mapping(mapping);
  const cl_int error =
      enqueue_on_first_device(queue, type, wait_count, waits, event, blocking, std::move(parts), {},
                              [mapping](cl_command_queue real, cl_event* done) {
                                return driver::real().clEnqueueSVMMap(real, CL_FALSE, mapping.flags, mapping.pointer,
                                                                      mapping.rows.bytes(), 0, nullptr, done);
                              });
  if (error != CL_SUCCESS) buffer->remove_mapping(mapping.pointer);
  return error;
}

cl_int unmap_svm(const std::shared_ptr<Queue>& queue, cl_command_type type, const std::shared_ptr<Buffer>& buffer,
                 const Buffer::Mapping& mapping, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return enqueue_on_first_device(queue, type, wait_count, waits, event, false,
                                 {{buffer, mapping.rows.moved(-buffer->range.begin), false}}, {},
                                 [mapping](cl_command_queue real, cl_event* done) {
                                   return driver::real().clEnqueueSVMUnmap(real, mapping.pointer, 0, nullptr, done);
                                 });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue handle, cl_bool blocking, cl_map_flags flags, void* pointer,
                                   size_t bytes, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clEnqueueSVMMap(handle, blocking, flags, pointer, bytes, wait_count, waits, event);
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  const auto allocation = svm::at(*queue->context, pointer);
  const uint64_t offset = allocation ? offset_in(*allocation, pointer) : 0;
  if (bytes > 0 && allocation && in_bounds(*allocation, offset, bytes)) {
    if (const cl_int error = check_map_flags(*queue->context, flags); error != CL_SUCCESS) return error;
    return map_svm(queue, CL_COMMAND_SVM_MAP, blocking, allocation, {pointer, Rectangle::run(offset, bytes), flags},
                   wait_count, waits, event);
  }
  return enqueue_as_given(queue, CL_COMMAND_SVM_MAP, wait_count, waits, event, blocking,
                          part_at(*queue->context, pointer, bytes, true),
                          [=, &cl](cl_command_queue real, cl_event* done) {
                            return cl.clEnqueueSVMMap(real, CL_FALSE, flags, pointer, bytes, 0, nullptr, done);
                          });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue handle, void* pointer, cl_uint wait_count, const cl_event* waits,
                                     cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) return cl.clEnqueueSVMUnmap(handle, pointer, wait_count, waits, event);
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  const Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const auto allocation = svm::at(*queue->context, pointer);
  if (const auto mapping = allocation ? allocation->remove_mapping(pointer) : std::nullopt) {
    return unmap_svm(queue, CL_COMMAND_SVM_UNMAP, allocation, *mapping, wait_count, waits, event);
  }
  return enqueue_as_given(queue, CL_COMMAND_SVM_UNMAP, wait_count, waits, event, false,
                          part_at(*queue->context, pointer, SIZE_MAX, false),
                          [=, &cl](cl_command_queue real, cl_event* done) {
                            return cl.clEnqueueSVMUnmap(real, pointer, 0, nullptr, done);
                          });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue handle, cl_uint count, const void** pointers,
                                          const size_t* sizes, cl_mem_migration_flags flags, cl_uint wait_count,
                                          const cl_event* waits, cl_event* event) {
  const auto& cl = driver::real();
  if (!is_virtual(handle)) {
    return cl.clEnqueueSVMMigrateMem(handle, count, pointers, sizes, flags, wait_count, waits, event);
  }
  auto queue = find<Queue>(handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || !pointers) return CL_INVALID_VALUE;
  std::vector<const void*> places(pointers, pointers + count);
  std::vector<size_t> bytes;
  if (sizes) bytes.assign(sizes, sizes + count);
  std::vector<BufferPart> parts;
  bool is_plain = is_migration(flags);
  for (cl_uint i = 0; i < count; ++i) {
    const auto allocation = svm::at(*queue->context, places[i]);
    is_plain &= allocation && (bytes.empty() || in_bounds(*allocation, offset_in(*allocation, places[i]), bytes[i]));
    parts = both(std::move(parts), part_at(*queue->context, places[i], SIZE_MAX, false));
  }
  const auto call = [=, &cl](cl_command_queue real, cl_event* done) {
    return cl.clEnqueueSVMMigrateMem(real, count, const_cast<const void**>(places.data()),
                                     bytes.empty() ? nullptr : bytes.data(), flags, 0, nullptr, done);
  };
  if (!is_plain)
    return enqueue_as_given(queue, CL_COMMAND_SVM_MIGRATE_MEM, wait_count, waits, event, false, std::move(parts), call);
  return enqueue_on_first_device(queue, CL_COMMAND_SVM_MIGRATE_MEM, wait_count, waits, event, false, std::move(parts),
                                 {}, call);
}

}  // namespace samcl::api
