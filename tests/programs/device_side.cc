// An OpenCL layer that answers as a driver with pipes and with queues on the device does, as far as the host's objects
// go: pipes are buffers, and the queues are ordinary ones. Kernels that use them are the driver's to compile.
#include <CL/cl_ext.h>

#include <map>
#include <mutex>
#include <vector>

#include "tests/programs/opencl_layer.h"

namespace {

struct Pipe {
  cl_uint packet_size, max_packets;
};

std::mutex mutex;  // guards the next
std::map<cl_mem, Pipe> pipes;
std::map<cl_command_queue, cl_command_queue_properties> queues;

template <typename T>
cl_int with(T value, size_t size, void* to, size_t* size_ret) {
  return answer(&value, sizeof value, size, to, size_ret);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  switch (name) {
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      return with<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, size,
                                               value, size_ret);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      return with<cl_device_device_enqueue_capabilities>(
          CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, size, value, size_ret);
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: return with<cl_uint>(262144, size, value, size_ret);
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES: return with<cl_uint>(1, size, value, size_ret);
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS: return with<cl_uint>(1024, size, value, size_ret);
    case CL_DEVICE_PIPE_SUPPORT: return with<cl_bool>(CL_TRUE, size, value, size_ret);
    case CL_DEVICE_MAX_PIPE_ARGS: return with<cl_uint>(16, size, value, size_ret);
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: return with<cl_uint>(1, size, value, size_ret);
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return with<cl_uint>(1024, size, value, size_ret);
    default: return beneath->clGetDeviceInfo(device, name, size, value, size_ret);
  }
}

cl_mem CL_API_CALL create_pipe(cl_context context, cl_mem_flags, cl_uint packet_size, cl_uint max_packets,
                               const cl_pipe_properties*, cl_int* error) {
  if (packet_size == 0 || max_packets == 0) {
    if (error) *error = CL_INVALID_PIPE_SIZE;
    return nullptr;
  }
  const cl_mem made =
      beneath->clCreateBuffer(context, CL_MEM_READ_WRITE, size_t{packet_size} * max_packets, nullptr, error);
  const std::lock_guard lock(mutex);
  if (made) pipes[made] = {packet_size, max_packets};
  return made;
}

cl_int CL_API_CALL pipe_info(cl_mem pipe, cl_pipe_info name, size_t size, void* value, size_t* size_ret) {
  const std::lock_guard lock(mutex);
  const auto found = pipes.find(pipe);
  if (found == pipes.end()) return CL_INVALID_MEM_OBJECT;
  switch (name) {
    case CL_PIPE_PACKET_SIZE: return with(found->second.packet_size, size, value, size_ret);
    case CL_PIPE_MAX_PACKETS: return with(found->second.max_packets, size, value, size_ret);
    default: return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info name, size_t size, void* value, size_t* size_ret) {
  const std::lock_guard lock(mutex);
  if (name == CL_MEM_TYPE && pipes.contains(memory))
    return with<cl_mem_object_type>(CL_MEM_OBJECT_PIPE, size, value, size_ret);
  return beneath->clGetMemObjectInfo(memory, name, size, value, size_ret);
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          const cl_queue_properties* properties, cl_int* error) {
  constexpr cl_command_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
  std::vector<cl_queue_properties> list;
  cl_command_queue_properties bits = 0;
  for (; properties && *properties != 0; properties += 2) {
    const bool is_bits = properties[0] == CL_QUEUE_PROPERTIES;
    if (is_bits) bits = properties[1];
    list.insert(list.end(), {properties[0], is_bits ? properties[1] & ~kOnDevice : properties[1]});
  }
  list.push_back(0);
  const cl_command_queue made = beneath->clCreateCommandQueueWithProperties(context, device, list.data(), error);
  const std::lock_guard lock(mutex);
  if (made && (bits & CL_QUEUE_ON_DEVICE)) queues[made] = bits;
  return made;
}

cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name, size_t size, void* value,
                              size_t* size_ret) {
  const std::lock_guard lock(mutex);
  if (const auto found = queues.find(queue); found != queues.end()) {
    if (name == CL_QUEUE_PROPERTIES) return with(found->second, size, value, size_ret);
    if (name == CL_QUEUE_SIZE) return with<cl_uint>(262144, size, value, size_ret);
  }
  return beneath->clGetCommandQueueInfo(queue, name, size, value, size_ret);
}

cl_int CL_API_CALL set_default(cl_context context, cl_device_id device, cl_command_queue queue) {
  cl_context its_context = nullptr;
  cl_device_id its_device = nullptr;
  const std::lock_guard lock(mutex);
  if (!queues.contains(queue)) return CL_INVALID_COMMAND_QUEUE;
  beneath->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, nullptr);
  beneath->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, nullptr);
  if (its_context != context) return CL_INVALID_CONTEXT;
  return its_device == device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = device_info;
  table.clCreatePipe = create_pipe;
  table.clGetPipeInfo = pipe_info;
  table.clGetMemObjectInfo = memory_info;
  table.clCreateCommandQueueWithProperties = create_queue;
  table.clGetCommandQueueInfo = queue_info;
  table.clSetDefaultDeviceCommandQueue = set_default;
}
