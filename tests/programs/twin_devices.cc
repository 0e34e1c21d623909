// An OpenCL layer that shows each of the driver's devices twice, so that one GPU can stand for two: what several
// devices need (replicas, parts, exchanges, merging) then runs on a real driver, at the speed of one. Where both are
// named together (a context over both), the driver is told of one.
#include <CL/cl_ext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/programs/opencl_layer.h"

namespace {

using Devices = std::vector<cl_device_id>;

// The second showing of a device. Its first word is what the loader looks for in every OpenCL object.
struct Twin {
  const void* dispatch;
  cl_device_id device;
};

// Guards all that follows. Objects are forgotten when another takes their address.
std::mutex lock;
std::map<cl_device_id, std::unique_ptr<Twin>> twins;  // by the driver's device
std::map<cl_context, Devices> devices_of_contexts;
std::map<cl_command_queue, cl_device_id> devices_of_queues;

cl_device_id twin_of(cl_device_id device) {
  std::lock_guard guard(lock);
  auto& twin = twins[device];
  if (!twin) twin = std::make_unique<Twin>(*reinterpret_cast<const void**>(device), device);
  return reinterpret_cast<cl_device_id>(twin.get());
}

bool is_twin(cl_device_id device) {
  std::lock_guard guard(lock);
  return std::ranges::any_of(
      twins, [&](const auto& each) { return reinterpret_cast<cl_device_id>(each.second.get()) == device; });
}

cl_device_id real(cl_device_id device) { return is_twin(device) ? reinterpret_cast<Twin*>(device)->device : device; }

// The driver's devices behind `devices`, each once.
Devices real(const cl_device_id* devices, cl_uint count) {
  Devices all;
  for (cl_uint i = 0; devices && i < count; ++i)
    if (const cl_device_id each = real(devices[i]); std::ranges::find(all, each) == all.end()) all.push_back(each);
  return all;
}

const cl_device_id* or_null(const Devices& devices) { return devices.empty() ? nullptr : devices.data(); }

cl_int list(const Devices& devices, size_t size, void* value, size_t* size_ret) {
  return answer(devices.data(), devices.size() * sizeof(cl_device_id), size, value, size_ret);
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id* devices,
                              cl_uint* count) {
  cl_uint found = 0;
  if (const cl_int error = beneath->clGetDeviceIDs(platform, type, 0, nullptr, &found); error != CL_SUCCESS)
    return error;
  Devices all(found);
  beneath->clGetDeviceIDs(platform, type, found, all.data(), nullptr);
  for (cl_uint i = 0; i < found; ++i) all.push_back(twin_of(all[i]));
  if ((devices && entries == 0) || (!devices && !count)) return CL_INVALID_VALUE;
  if (devices) std::copy_n(all.begin(), std::min<size_t>(entries, all.size()), devices);
  if (count) *count = static_cast<cl_uint>(all.size());
  return CL_SUCCESS;
}

// The two are told apart by what names a device: its UUID and its place on the bus. With TWIN_DEVICES=one-place that is
// the one there is, at which CUDA finds the memory that both can see.
cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  const cl_int error = beneath->clGetDeviceInfo(real(device), name, size, value, size_ret);
  if (error != CL_SUCCESS || !value || !is_twin(device)) return error;
  if (name == CL_DEVICE_UUID_KHR) static_cast<unsigned char*>(value)[0] ^= 1;
  if (name == CL_DEVICE_PCI_BUS_INFO_KHR) static_cast<cl_device_pci_bus_info_khr*>(value)->pci_device ^= 1;
  const char* const wish = std::getenv("TWIN_DEVICES");
  const bool is_one_place = wish && std::strcmp(wish, "one-place") == 0;
  if (name == 0x4009 && !is_one_place) *static_cast<cl_uint*>(value) ^= 1;  // CL_DEVICE_PCI_SLOT_ID_NV
  return error;
}

cl_int CL_API_CALL sub_devices(cl_device_id device, const cl_device_partition_property* properties, cl_uint entries,
                               cl_device_id* parts, cl_uint* count) {
  return beneath->clCreateSubDevices(real(device), properties, entries, parts, count);
}

cl_int CL_API_CALL retain_device(cl_device_id device) { return beneath->clRetainDevice(real(device)); }
cl_int CL_API_CALL release_device(cl_device_id device) { return beneath->clReleaseDevice(real(device)); }

cl_context remember(cl_context context, Devices devices) {
  std::lock_guard guard(lock);
  if (context) devices_of_contexts[context] = std::move(devices);
  return context;
}

using ContextCallback = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices, ContextCallback callback, void* data,
                                      cl_int* error) {
  const Devices all = real(devices, count);
  return remember(
      beneath->clCreateContext(properties, static_cast<cl_uint>(all.size()), or_null(all), callback, data, error),
      devices ? Devices(devices, devices + count) : Devices());
}

// The devices that a context was made for; empty where it is not known.
Devices devices_of(cl_context context) {
  std::lock_guard guard(lock);
  const auto found = devices_of_contexts.find(context);
  return found == devices_of_contexts.end() ? Devices() : found->second;
}

cl_int CL_API_CALL context_info(cl_context context, cl_context_info name, size_t size, void* value, size_t* size_ret) {
  const Devices shown = devices_of(context);
  const auto count = static_cast<cl_uint>(shown.size());
  if (name == CL_CONTEXT_DEVICES && count > 0) return list(shown, size, value, size_ret);
  if (name == CL_CONTEXT_NUM_DEVICES && count > 0) return answer(&count, sizeof count, size, value, size_ret);
  return beneath->clGetContextInfo(context, name, size, value, size_ret);
}

// What memory from elsewhere is imported for.
cl_mem CL_API_CALL create_buffer(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                 size_t size, void* host, cl_int* error) {
  constexpr cl_mem_properties kDeviceList = 0x2051;  // CL_MEM_DEVICE_HANDLE_LIST_KHR
  std::vector<cl_mem_properties> translated;
  bool is_device = false;
  for (const cl_mem_properties* next = properties; next && (*next != 0 || is_device);) {
    if (is_device) {
      is_device = *next != 0;
      translated.push_back(is_device ? reinterpret_cast<cl_mem_properties>(real(reinterpret_cast<cl_device_id>(*next)))
                                     : 0);
      ++next;
    } else {
      is_device = *next == kDeviceList;
      translated.push_back(*next++);
      if (!is_device) translated.push_back(*next++);
    }
  }
  translated.push_back(0);
  return beneath->clCreateBufferWithProperties(context, properties ? translated.data() : nullptr, flags, size, host,
                                               error);
}

cl_command_queue remember(cl_command_queue queue, cl_device_id device) {
  std::lock_guard guard(lock);
  if (queue) devices_of_queues[queue] = device;
  return queue;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* error) {
  return remember(beneath->clCreateCommandQueue(context, real(device), properties, error), device);
}

cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties, cl_int* error) {
  return remember(beneath->clCreateCommandQueueWithProperties(context, real(device), properties, error), device);
}

cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name, size_t size, void* value,
                              size_t* size_ret) {
  cl_device_id device = nullptr;
  if (std::lock_guard guard(lock); devices_of_queues.contains(queue)) device = devices_of_queues[queue];
  if (name == CL_QUEUE_DEVICE && device) return answer(&device, sizeof device, size, value, size_ret);
  return beneath->clGetCommandQueueInfo(queue, name, size, value, size_ret);
}

cl_program CL_API_CALL program_of_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                         const size_t* lengths, const unsigned char** binaries, cl_int* status,
                                         cl_int* error) {
  const Devices all = real(devices, count);
  return beneath->clCreateProgramWithBinary(context, static_cast<cl_uint>(all.size()), or_null(all), lengths, binaries,
                                            status, error);
}

using ProgramCallback = void(CL_CALLBACK*)(cl_program, void*);

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         ProgramCallback callback, void* data) {
  const Devices all = real(devices, count);
  return beneath->clBuildProgram(program, static_cast<cl_uint>(all.size()), or_null(all), options, callback, data);
}

cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                           cl_uint headers, const cl_program* header_programs, const char** names,
                           ProgramCallback callback, void* data) {
  const Devices all = real(devices, count);
  return beneath->clCompileProgram(program, static_cast<cl_uint>(all.size()), or_null(all), options, headers,
                                   header_programs, names, callback, data);
}

cl_program CL_API_CALL link(cl_context context, cl_uint count, const cl_device_id* devices, const char* options,
                            cl_uint programs, const cl_program* inputs, ProgramCallback callback, void* data,
                            cl_int* error) {
  const Devices all = real(devices, count);
  return beneath->clLinkProgram(context, static_cast<cl_uint>(all.size()), or_null(all), options, programs, inputs,
                                callback, data, error);
}

cl_int CL_API_CALL program_info(cl_program program, cl_program_info name, size_t size, void* value, size_t* size_ret) {
  cl_context context = nullptr;
  if (name == CL_PROGRAM_DEVICES &&
      beneath->clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr) == CL_SUCCESS) {
    const Devices shown = devices_of(context);
    if (shown.size() == 1) return list(shown, size, value, size_ret);
  }
  return beneath->clGetProgramInfo(program, name, size, value, size_ret);
}

cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info name, size_t size,
                              void* value, size_t* size_ret) {
  return beneath->clGetProgramBuildInfo(program, real(device), name, size, value, size_ret);
}

cl_int CL_API_CALL work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                                   void* value, size_t* size_ret) {
  return beneath->clGetKernelWorkGroupInfo(kernel, real(device), name, size, value, size_ret);
}

cl_int CL_API_CALL sub_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
                                  size_t input_size, const void* input, size_t size, void* value, size_t* size_ret) {
  return beneath->clGetKernelSubGroupInfo(kernel, real(device), name, input_size, input, size, value, size_ret);
}

cl_int CL_API_CALL device_and_host_timer(cl_device_id device, cl_ulong* device_time, cl_ulong* host_time) {
  return beneath->clGetDeviceAndHostTimer(real(device), device_time, host_time);
}

cl_int CL_API_CALL host_timer(cl_device_id device, cl_ulong* host_time) {
  return beneath->clGetHostTimer(real(device), host_time);
}

void* CL_API_CALL function_of_platform(cl_platform_id platform, const char* name) {
  if (std::string(name) == "clCreateCommandQueueWithPropertiesKHR")
    return reinterpret_cast<void*>(&create_queue_with_properties);
  return beneath->clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
  table.clCreateSubDevices = sub_devices;
  table.clRetainDevice = retain_device;
  table.clReleaseDevice = release_device;
  table.clCreateContext = create_context;
  table.clGetContextInfo = context_info;
  table.clCreateBufferWithProperties = create_buffer;
  table.clCreateCommandQueue = create_queue;
  table.clCreateCommandQueueWithProperties = create_queue_with_properties;
  table.clGetCommandQueueInfo = queue_info;
  table.clCreateProgramWithBinary = program_of_binary;
  table.clBuildProgram = build;
  table.clCompileProgram = compile;
  table.clLinkProgram = link;
  table.clGetProgramInfo = program_info;
  table.clGetProgramBuildInfo = build_info;
  table.clGetKernelWorkGroupInfo = work_group_info;
  table.clGetKernelSubGroupInfo = sub_group_info;
  table.clGetDeviceAndHostTimer = device_and_host_timer;
  table.clGetHostTimer = host_timer;
  table.clGetExtensionFunctionAddressForPlatform = function_of_platform;
}
