// Buffers and sub-buffers as objects: created, counted, queried; images too, but for their creation. Pipes, and buffers
// of properties (memory imported from elsewhere), are the driver's own, in the first device's real context.
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstring>
#include <memory>

#include "entry_points.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/memory_flags.h"
#include "libsamcl/api/property_list.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/svm.h"
#include "libsamcl/transfer/copy_pool.h"

namespace samcl::api {
namespace {

// Whether the standard has no objection to such a buffer, so that every driver makes it.
bool is_plain(const Context& context, cl_mem_flags flags, size_t size, const void* host_ptr) {
  if (!valid(flags)) return false;
  const auto largest = driver::value<cl_ulong>(context.device->real[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE, ~cl_ulong{0});
  if (size == 0 || size > largest) return false;
  const bool needs_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  return needs_pointer == (host_ptr != nullptr) && !svm::at(context, host_ptr);
}

// What the driver says of such a buffer on the first device. flags become those that it gives it.
cl_int ask_driver(const Context& context, cl_mem_flags& flags, size_t size, void* host_ptr) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  const cl_mem trial = cl.clCreateBuffer(context.devices[0]->context(), flags, size, host_ptr, &error);
  if (!trial) return error;
  cl.clGetMemObjectInfo(trial, CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  cl.clReleaseMemObject(trial);
  return size == 0 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
}

// The same of a sub-buffer of a buffer with the parent's flags, that begins there.
cl_int ask_driver(const Buffer& parent, cl_mem_flags& flags, size_t origin = 0) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  const cl_buffer_region region{origin, 64};
  const cl_mem whole =
      cl.clCreateBuffer(parent.context->devices[0]->context(), parent.flags & (kKernelAccess | kHostAccess),
                        region.origin + region.size, nullptr, &error);
  if (!whole) return error;
  const cl_mem part = cl.clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  if (part) {
    cl.clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
    cl.clReleaseMemObject(part);
  }
  cl.clReleaseMemObject(whole);
  return error;
}

// The list as the driver is given it: with its devices.
std::vector<cl_mem_properties> unwrapped(const cl_mem_properties* properties) {
  std::vector<cl_mem_properties> list = property_list(properties);
  change_devices(list, [](cl_device_id device) { return unwrap(device); });
  return list;
}

// A buffer in a virtual context.
cl_mem create(const std::shared_ptr<Context>& context, const cl_mem_properties* properties, cl_mem_flags flags,
              size_t size, void* host_ptr, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (properties && *properties != 0) {
    return driver::real().clCreateBufferWithProperties(context->devices[0]->context(), unwrapped(properties).data(),
                                                       flags, size, host_ptr, errcode_ret);
  }
  if (!is_plain(*context, flags, size, host_ptr)) {
    const cl_int error = ask_driver(*context, flags, size, host_ptr);
    if (error != CL_SUCCESS) return failed(errcode_ret, error);
  }

  void* const used = flags & CL_MEM_USE_HOST_PTR ? host_ptr : nullptr;
  auto allocation = svm::at(*context, used);
  uint64_t begin = allocation ? static_cast<std::byte*>(used) - static_cast<std::byte*>(allocation->host_ptr) : 0;
  if (allocation && size > allocation->size() - begin) {  // a driver that takes it does not know the memory
    allocation = nullptr;
    begin = 0;
  }
  auto storage = allocation ? allocation->storage : std::make_shared<Storage>(context, size, used);
  if (!allocation) storage->make_placed_replicas();
  if ((flags & CL_MEM_COPY_HOST_PTR) && host_ptr) {
    std::byte* const host = storage->host();
    if (!host) return failed(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    copy_in_parallel(host, static_cast<const std::byte*>(host_ptr), size);
    storage->written_by_program({0, size}, only(kHost));
  }
  if (!(flags & kKernelAccess)) flags |= CL_MEM_READ_WRITE;
  auto buffer = Buffer::make_shared(context, std::move(storage), Range{begin, begin + size}, flags, used, nullptr,
                                    properties ? std::vector<cl_mem_properties>{0} : std::vector<cl_mem_properties>{});
  return created(errcode_ret, Buffer::hand_out(std::move(buffer)));
}

// What only the driver knows.
cl_int ask_driver(Buffer& buffer, cl_mem_info name, const Answer& answer) {
  cl_int error;
  const Storage::Pin pin(*buffer.storage);
  cl_mem real = buffer.real(0, &error);
  return real ? driver::real().clGetMemObjectInfo(real, name, answer.size, answer.value, answer.size_ret) : error;
}

cl_int info(Buffer& buffer, cl_mem_info name, const Answer& answer) {
  switch (name) {
    case CL_MEM_TYPE:
      return answer.with<cl_mem_object_type>(buffer.image ? buffer.image->description.image_type
                                                          : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: return answer.with<cl_mem_flags>(buffer.flags);
    case CL_MEM_SIZE: return buffer.image ? ask_driver(buffer, name, answer) : answer.with<size_t>(buffer.size());
    case CL_MEM_HOST_PTR: return answer.with<void*>(buffer.host_ptr);
    case CL_MEM_MAP_COUNT: return answer.with<cl_uint>(buffer.mappings());
    case CL_MEM_REFERENCE_COUNT: return answer.with<cl_uint>(buffer.references());
    case CL_MEM_CONTEXT: return answer.with<cl_context>(buffer.context->api());
    case CL_MEM_ASSOCIATED_MEMOBJECT: return answer.with<cl_mem>(buffer.parent ? buffer.parent->api() : nullptr);
    case CL_MEM_OFFSET:
      return answer.with<size_t>(buffer.parent && !buffer.image ? buffer.range.begin - buffer.parent->range.begin : 0);
    case CL_MEM_USES_SVM_POINTER:
      return buffer.storage->svm() ? ask_driver(buffer, name, answer) : answer.with<cl_bool>(CL_FALSE);
    case CL_MEM_PROPERTIES: return answer.array(buffer.properties);
    default: return ask_driver(buffer, name, answer);
  }
}

}  // namespace

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
                                  cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context)) return driver::real().clCreateBuffer(context, flags, size, host_ptr, errcode_ret);
  return create(find<Context>(context), nullptr, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context)) {
    return driver::real().clCreateBufferWithProperties(context, properties, flags, size, host_ptr, errcode_ret);
  }
  return create(find<Context>(context), properties, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* create_info, cl_int* errcode_ret) {
  if (!buffer) return failed(errcode_ret, CL_INVALID_MEM_OBJECT);
  if (!is_virtual(buffer)) return driver::real().clCreateSubBuffer(buffer, flags, type, create_info, errcode_ret);
  auto parent = find<Buffer>(buffer);
  if (!parent || parent->parent || parent->image) return failed(errcode_ret, CL_INVALID_MEM_OBJECT);
  if (type != CL_BUFFER_CREATE_TYPE_REGION || !create_info) return failed(errcode_ret, CL_INVALID_VALUE);
  if (!narrows(flags, parent->flags)) {
    if (const cl_int error = ask_driver(*parent, flags); error != CL_SUCCESS) return failed(errcode_ret, error);
  }
  const auto region = *static_cast<const cl_buffer_region*>(create_info);
  if (region.origin > parent->size() || region.size > parent->size() - region.origin) {
    return failed(errcode_ret, CL_INVALID_VALUE);
  }
  if (region.size == 0) return failed(errcode_ret, CL_INVALID_BUFFER_SIZE);
  const cl_device_id device = parent->context->device->real[0];
  const cl_uint alignment = driver::value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8) / 8;
  // NVIDIA's driver tells 512 bytes, and takes less.
  if (const size_t beyond = alignment > 1 ? region.origin % alignment : 0) {
    cl_mem_flags its = flags;
    if (const cl_int error = ask_driver(*parent, its, beyond); error != CL_SUCCESS) return failed(errcode_ret, error);
  }

  void* const host_ptr = parent->host_ptr ? static_cast<std::byte*>(parent->host_ptr) + region.origin : nullptr;
  auto part = Buffer::make_shared(parent->context, parent->storage, parent->part(region.origin, region.size),
                                  inherit(flags, parent->flags), host_ptr, parent, std::vector<cl_mem_properties>{});
  return created(errcode_ret, Buffer::hand_out(std::move(part)));
}

cl_int CL_API_CALL clRetainMemObject(cl_mem object) {
  if (!object) return CL_INVALID_MEM_OBJECT;
  if (!is_virtual(object)) return driver::real().clRetainMemObject(object);
  const auto ours = find<Buffer>(object);
  if (!ours) return CL_INVALID_MEM_OBJECT;
  ours->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem object) {
  if (!object) return CL_INVALID_MEM_OBJECT;
  if (!is_virtual(object)) return driver::real().clReleaseMemObject(object);
  const auto ours = find<Buffer>(object);
  if (!ours) return CL_INVALID_MEM_OBJECT;
  if (!ours->release()) return CL_SUCCESS;
  ours->leave_kernels();
  ours->context->memory_released(*ours->storage);
  if (!ours->may_be_kept()) ours->context->tell_untold();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem object, cl_mem_info name, size_t size, void* value, size_t* size_ret) {
  if (!object) return CL_INVALID_MEM_OBJECT;
  if (is_virtual(object)) {
    const auto ours = find<Buffer>(object);
    return ours ? info(*ours, name, Answer{size, value, size_ret}) : CL_INVALID_MEM_OBJECT;
  }
  const cl_int error = driver::real().clGetMemObjectInfo(object, name, size, value, size_ret);
  if (error == CL_SUCCESS && name == CL_MEM_CONTEXT && value) {
    auto* const context = static_cast<cl_context*>(value);
    *context = Context::to_program(*context);
  }
  return error;
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem object, Buffer::DestructorCallback callback,
                                                    void* user_data) {
  if (!object) return CL_INVALID_MEM_OBJECT;
  if (!is_virtual(object)) return driver::real().clSetMemObjectDestructorCallback(object, callback, user_data);
  const auto ours = find<Buffer>(object);
  if (!ours) return CL_INVALID_MEM_OBJECT;
  if (!callback) return CL_INVALID_VALUE;
  ours->add_destructor_callback(callback, user_data);
  return CL_SUCCESS;
}

}  // namespace samcl::api
