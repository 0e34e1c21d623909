// Command queues of virtual contexts are ours and live on the host. Those on the device, in which kernels enqueue
// kernels, are the driver's own, in the first device's real context: such kernels run there.
#include "libsamcl/objects/queue.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/machine.h"

namespace samcl::api {
namespace {

constexpr cl_command_queue_properties kHostBits = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

cl_int release(cl_command_queue made, cl_int error) {
  if (!made) return error;
  driver::real().clReleaseCommandQueue(made);
  return CL_SUCCESS;
}

// What the driver says of such a queue on the first device.
cl_int check_bits(const Context& context, cl_command_queue_properties bits) {
  if (!(bits & ~kHostBits)) return CL_SUCCESS;
  const RealDevice& first = *context.devices[0];
  cl_int error = CL_SUCCESS;
  const cl_command_queue made = driver::real().clCreateCommandQueue(first.context(), first.id, bits, &error);
  return release(made, error);
}

// The array of clCreateCommandQueueWithProperties, checked and copied.
struct Properties {
  cl_command_queue_properties bits = 0;
  std::vector<cl_queue_properties> array;  // with the closing 0; empty if none was given
};

cl_int read_properties(const Context& context, const cl_queue_properties* given, Properties& result) {
  if (!given) return CL_SUCCESS;
  bool is_plain = true;
  for (; given[0]; given += 2) {
    if (given[0] == CL_QUEUE_PROPERTIES && result.array.empty()) {
      result.bits = given[1];
      is_plain = !(result.bits & ~kHostBits);
    } else {
      is_plain = false;
    }
    result.array.insert(result.array.end(), {given[0], given[1]});
  }
  result.array.push_back(0);
  if (is_plain) return CL_SUCCESS;
  for (size_t i = 0; i + 1 < result.array.size(); i += 2) {
    if (result.array[i] == CL_QUEUE_PROPERTIES) result.bits = result.array[i + 1];
  }
  if (result.bits & CL_QUEUE_ON_DEVICE) return CL_SUCCESS;  // the driver is asked when it is made
  const RealDevice& first = *context.devices[0];
  cl_int error = CL_SUCCESS;
  const cl_command_queue made =
      driver::real().clCreateCommandQueueWithProperties(first.context(), first.id, result.array.data(), &error);
  return release(made, error);
}

// The driver's word, on a queue like that one.
cl_int may_change(const Queue& queue, cl_command_queue_properties properties, cl_bool enable) {
  const auto& cl = driver::real();
  const RealDevice& first = *queue.context->devices[0];
  cl_int error;
  const cl_command_queue alike = cl.clCreateCommandQueue(first.context(), first.id, queue.properties(), &error);
  if (!alike) return error;
  error = cl.clSetCommandQueueProperty(alike, properties, enable, nullptr);
  cl.clReleaseCommandQueue(alike);
  return error;
}

cl_command_queue create(std::shared_ptr<Context> context, cl_device_id device, Properties properties,
                        cl_int* errcode_ret) {
  auto queue = Queue::make_shared(std::move(context), device, properties.bits, std::move(properties.array));
  return created(errcode_ret, Queue::hand_out(std::move(queue)));
}

}  // namespace

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context))
    return driver::real().clCreateCommandQueue(context, unwrap(device), properties, errcode_ret);
  auto ours = find<Context>(context);
  if (!ours) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!ours->device->includes(device)) return failed(errcode_ret, CL_INVALID_DEVICE);
  if (cl_int error = check_bits(*ours, properties); error != CL_SUCCESS) return failed(errcode_ret, error);
  return create(std::move(ours), device, {properties, {}}, errcode_ret);
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties* properties,
                                                                cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context))
    return driver::real().clCreateCommandQueueWithProperties(context, unwrap(device), properties, errcode_ret);
  auto ours = find<Context>(context);
  if (!ours) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!ours->device->includes(device)) return failed(errcode_ret, CL_INVALID_DEVICE);
  Properties read;
  const cl_int error = read_properties(*ours, properties, read);
  if (error != CL_SUCCESS) return failed(errcode_ret, error);
  if (read.bits & CL_QUEUE_ON_DEVICE) {
    const RealDevice& first = *ours->devices[0];
    return driver::real().clCreateCommandQueueWithProperties(first.context(), unwrap(device), properties, errcode_ret);
  }
  return create(std::move(ours), device, std::move(read), errcode_ret);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clRetainCommandQueue(queue);
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  ours->retain();
  return CL_SUCCESS;
}

// Commands are under way from the moment they are enqueued: the implied flush has nothing to do.
cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clReleaseCommandQueue(queue);
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  if (ours->release()) ours->context->tell_untold();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void* value,
                                         size_t* size_ret) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) {
    const cl_int error = driver::real().clGetCommandQueueInfo(queue, name, size, value, size_ret);
    if (error != CL_SUCCESS || !value) return error;
    if (name == CL_QUEUE_DEVICE) as_programs_devices(value, sizeof(cl_device_id));
    if (name == CL_QUEUE_CONTEXT) {
      auto* const context = static_cast<cl_context*>(value);
      *context = Context::to_program(*context);
    }
    return error;
  }
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  const Answer answer{size, value, size_ret};
  switch (name) {
    case CL_QUEUE_CONTEXT: return answer.with<cl_context>(ours->context->api());
    case CL_QUEUE_DEVICE: return answer.with<cl_device_id>(ours->device);
    case CL_QUEUE_REFERENCE_COUNT: return answer.with<cl_uint>(ours->references());
    case CL_QUEUE_PROPERTIES: return answer.with<cl_command_queue_properties>(ours->properties());
    case CL_QUEUE_PROPERTIES_ARRAY: return answer.array(ours->properties_array);
    case CL_QUEUE_DEVICE_DEFAULT: {
      cl_command_queue drivers = nullptr;  // there is none where the driver knows nothing of it
      driver::real().clGetCommandQueueInfo(ours->context->devices[0]->compute_queue(), name, sizeof drivers, &drivers,
                                           nullptr);
      return answer.with<cl_command_queue>(drivers);
    }
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE;
    default:
      return driver::real().clGetCommandQueueInfo(ours->context->devices[0]->compute_queue(), name, size, value,
                                                  size_ret);
  }
}

// Gone since OpenCL 1.1: a driver may refuse it (PoCL), or not (NVIDIA).
cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                             cl_bool enable, cl_command_queue_properties* old_properties) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clSetCommandQueueProperty(queue, properties, enable, old_properties);
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  const cl_command_queue_properties before = ours->properties();
  if (const cl_int error = may_change(*ours, properties, enable); error != CL_SUCCESS) return error;
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) finish(*ours);
  ours->context->graph.change(*ours, enable ? before | properties : before & ~properties);
  if (old_properties) *old_properties = before;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue) {
  if (!context) return CL_INVALID_CONTEXT;
  if (!is_virtual(context))
    return driver::real().clSetDefaultDeviceCommandQueue(context, unwrap(device), unwrap(queue));
  const auto ours = find<Context>(context);
  if (!ours) return CL_INVALID_CONTEXT;
  if (!ours->device->includes(device)) return CL_INVALID_DEVICE;
  return driver::real().clSetDefaultDeviceCommandQueue(ours->devices[0]->context(), unwrap(device), unwrap(queue));
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clFlush(queue);
  return find<Queue>(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clFinish(queue);
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  finish(*ours);
  if (ours->context->survives()) return CL_SUCCESS;
  // A driver that has lost a device says so here.
  for (const auto& device : ours->context->devices)
    if (device->is_lost()) return driver::real().clFinish(device->compute_queue());
  return CL_SUCCESS;
}

}  // namespace samcl::api
