#include "libsamcl/api/semaphore.h"

// clang-format off
#include "libsamcl/api/unwrap.h"  // before unwrapped_list.h, which calls it
// clang-format on
#include <CL/cl_ext.h>

#include <memory>
#include <span>
#include <vector>

#include "libsamcl/api/guarded_extension.h"
#include "libsamcl/api/known_semaphores.h"
#include "libsamcl/api/property_list.h"
#include "libsamcl/api/semaphore_command.h"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/objects/machine.h"

namespace samcl::api {
namespace {

// Younger than the headers of 2022.
using ReImport = cl_int(CL_API_CALL*)(cl_semaphore_khr, cl_properties*, int);

constexpr const char* kCreateSemaphore = "clCreateSemaphoreWithPropertiesKHR";
constexpr const char* kRetainSemaphore = "clRetainSemaphoreKHR";
constexpr const char* kReleaseSemaphore = "clReleaseSemaphoreKHR";
constexpr const char* kInfoSemaphore = "clGetSemaphoreInfoKHR";
constexpr const char* kWaitSemaphores = "clEnqueueWaitSemaphoresKHR";
constexpr const char* kSignalSemaphores = "clEnqueueSignalSemaphoresKHR";
constexpr const char* kHandleSemaphore = "clGetSemaphoreHandleForTypeKHR";
constexpr const char* kReImportSemaphore = "clReImportSemaphoreSyncFdKHR";

// Lives until the process has ended: the program's exit handlers may still use semaphores.
KnownSemaphores& semaphores() {
  static KnownSemaphores* const all = new KnownSemaphores;
  return *all;
}

// The driver's function of that name, or nullptr.
template <typename Function>
Function drivers(cl_platform_id platform, const char* name) {
  return platform ? reinterpret_cast<Function>(driver::real().clGetExtensionFunctionAddressForPlatform(platform, name))
                  : nullptr;
}

cl_platform_id platform_of(cl_device_id device) { return driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM); }

cl_semaphore_khr CL_API_CALL create_semaphore(cl_context context, const cl_semaphore_properties_khr* properties,
                                              cl_int* errcode_ret) {
  const cl_context real = unwrap(context);
  if (!real) return failed(errcode_ret, CL_INVALID_CONTEXT);
  size_t bytes = 0;
  const auto& cl = driver::real();
  if (cl.clGetContextInfo(real, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0)
    return failed(errcode_ret, CL_INVALID_CONTEXT);
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  cl.clGetContextInfo(real, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr);
  const cl_platform_id platform = platform_of(devices[0]);
  const auto function = drivers<clCreateSemaphoreWithPropertiesKHR_fn>(platform, kCreateSemaphore);
  if (!function) return failed(errcode_ret, CL_INVALID_OPERATION);
  std::vector<cl_properties> list = property_list(properties);
  change_devices(list, [](cl_device_id device) { return unwrap(device); });
  const cl_semaphore_khr made = function(real, properties ? list.data() : nullptr, errcode_ret);
  if (!made) return nullptr;
  const auto info = drivers<clGetSemaphoreInfoKHR_fn>(platform, kInfoSemaphore);
  cl_semaphore_type_khr type = 0;
  if (info) info(made, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, nullptr);
  semaphores().created(made, platform, type == CL_SEMAPHORE_TYPE_BINARY_KHR);
  return made;
}

cl_int CL_API_CALL retain_semaphore(cl_semaphore_khr semaphore) {
  const auto function = drivers<clRetainSemaphoreKHR_fn>(semaphores().platform_of(semaphore), kRetainSemaphore);
  if (!function) return CL_INVALID_SEMAPHORE_KHR;
  const cl_int error = function(semaphore);
  if (error == CL_SUCCESS) semaphores().retained(semaphore);
  return error;
}

// Forgotten before it is gone: then the driver may give another one the same handle.
cl_int CL_API_CALL release_semaphore(cl_semaphore_khr semaphore) {
  const auto function = drivers<clReleaseSemaphoreKHR_fn>(semaphores().platform_of(semaphore), kReleaseSemaphore);
  if (!function) return CL_INVALID_SEMAPHORE_KHR;
  semaphores().will_be_released(semaphore);
  return function(semaphore);
}

// The driver's answer in full.
template <typename T>
cl_int ask_in_full(clGetSemaphoreInfoKHR_fn function, cl_semaphore_khr semaphore, cl_semaphore_info_khr name,
                   std::vector<T>& values) {
  size_t bytes = 0;
  const cl_int error = function(semaphore, name, 0, nullptr, &bytes);
  if (error != CL_SUCCESS) return error;
  values.resize(bytes / sizeof(T));
  return function(semaphore, name, values.size() * sizeof(T), values.data(), nullptr);
}

cl_int CL_API_CALL semaphore_info(cl_semaphore_khr semaphore, cl_semaphore_info_khr name, size_t size, void* value,
                                  size_t* size_ret) {
  const auto function = drivers<clGetSemaphoreInfoKHR_fn>(semaphores().platform_of(semaphore), kInfoSemaphore);
  if (!function) return CL_INVALID_SEMAPHORE_KHR;
  const Answer answer{size, value, size_ret};
  switch (name) {
    case CL_SEMAPHORE_CONTEXT_KHR: {
      cl_context real = nullptr;
      const cl_int error = function(semaphore, name, sizeof real, &real, nullptr);
      if (error != CL_SUCCESS) return error;
      return answer.with<cl_context>(Context::to_program(real));
    }
    case CL_SEMAPHORE_PROPERTIES_KHR: {
      std::vector<cl_properties> list;
      if (const cl_int error = ask_in_full(function, semaphore, name, list); error != CL_SUCCESS) return error;
      change_devices(list, to_program);
      return answer.array(list);
    }
    case kDeviceHandleList:
    case kSemaphoreDeviceHandleList: {
      std::vector<cl_device_id> devices;
      if (const cl_int error = ask_in_full(function, semaphore, name, devices); error != CL_SUCCESS) return error;
      as_programs_devices(devices.data(), devices.size() * sizeof(cl_device_id));
      return answer.array(devices);
    }
    default: return function(semaphore, name, size, value, size_ret);
  }
}

// What a command needs until the driver has it, though the program may release it before.
class Retained {
 public:
  Retained(cl_platform_id platform, std::span<const cl_semaphore_khr> semaphores)
      : release_(drivers<clReleaseSemaphoreKHR_fn>(platform, kReleaseSemaphore)) {
    const auto retain = drivers<clRetainSemaphoreKHR_fn>(platform, kRetainSemaphore);
    if (!retain || !release_) return;
    semaphores_.assign(semaphores.begin(), semaphores.end());
    for (const cl_semaphore_khr each : semaphores_) retain(each);
  }
  ~Retained() {
    for (const cl_semaphore_khr each : semaphores_) release_(each);
  }
  Retained(const Retained&) = delete;
  Retained& operator=(const Retained&) = delete;

 private:
  clReleaseSemaphoreKHR_fn release_;
  std::vector<cl_semaphore_khr> semaphores_;
};

// Waits and signals have the same signature. A semaphore that the program has no more is not the driver's to touch.
cl_int enqueue_on_semaphores(const char* name, cl_command_type type, cl_command_queue handle, cl_uint count,
                             const cl_semaphore_khr* list, const cl_semaphore_payload_khr* payloads, cl_uint wait_count,
                             const cl_event* waits, cl_event* event) {
  const bool is_ours = is_virtual(handle);
  const auto queue = is_ours ? find<Queue>(handle) : nullptr;
  cl_device_id device = queue ? queue->context->devices[0]->id : nullptr;
  if (!queue &&
      (is_ours || !handle ||
       driver::real().clGetCommandQueueInfo(handle, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) != CL_SUCCESS)) {
    return CL_INVALID_COMMAND_QUEUE;
  }
  const auto function = drivers<clEnqueueWaitSemaphoresKHR_fn>(platform_of(device), name);
  if (!function) return CL_INVALID_OPERATION;
  for (cl_uint i = 0; list && i < count; ++i) {
    if (!semaphores().platform_of(list[i])) return CL_INVALID_SEMAPHORE_KHR;
  }
  if (!queue) {
    return function(handle, count, list, payloads, wait_count, UnwrappedList(wait_count, waits).get(), event);
  }
  if (count == 0 || !list) return CL_INVALID_VALUE;
  const bool is_wait = type == CL_COMMAND_SEMAPHORE_WAIT_KHR;
  const std::span used(list, count);
  const std::span paid(payloads, payloads ? count : 0);
  std::shared_ptr<Event> entered;
  const cl_int error = enqueue_semaphore_command(
      queue, type, wait_count, waits, is_wait ? semaphores().signals_for_next_wait(used) : KnownSemaphores::Events(),
      event,
      [function, has_payloads = payloads != nullptr, used = std::vector(used.begin(), used.end()),
       paid = std::vector(paid.begin(), paid.end()),
       retained = std::make_shared<Retained>(platform_of(device), used)](cl_command_queue real, cl_event* done) {
        return function(real, static_cast<cl_uint>(used.size()), used.data(), has_payloads ? paid.data() : nullptr, 0,
                        nullptr, done);
      },
      entered);
  if (error != CL_SUCCESS) return error;
  if (is_wait) {
    semaphores().waited(used);
  } else {
    semaphores().signalled(used, entered);
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL wait_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* list,
                                   const cl_semaphore_payload_khr* payloads, cl_uint wait_count, const cl_event* waits,
                                   cl_event* event) {
  return enqueue_on_semaphores(kWaitSemaphores, CL_COMMAND_SEMAPHORE_WAIT_KHR, queue, count, list, payloads, wait_count,
                               waits, event);
}

cl_int CL_API_CALL signal_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* list,
                                     const cl_semaphore_payload_khr* payloads, cl_uint wait_count,
                                     const cl_event* waits, cl_event* event) {
  return enqueue_on_semaphores(kSignalSemaphores, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, queue, count, list, payloads,
                               wait_count, waits, event);
}

cl_int CL_API_CALL semaphore_handle(cl_semaphore_khr semaphore, cl_device_id device,
                                    cl_external_semaphore_handle_type_khr type, size_t size, void* handle,
                                    size_t* size_ret) {
  const auto function =
      drivers<clGetSemaphoreHandleForTypeKHR_fn>(semaphores().platform_of(semaphore), kHandleSemaphore);
  if (!function) return CL_INVALID_SEMAPHORE_KHR;
  const cl_int error = function(semaphore, unwrap(device), type, size, handle, size_ret);
  if (error == CL_SUCCESS && handle && type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR) semaphores().replaced(semaphore);
  return error;
}

cl_int CL_API_CALL re_import_semaphore(cl_semaphore_khr semaphore, cl_properties* properties, int fd) {
  const auto function = drivers<ReImport>(semaphores().platform_of(semaphore), kReImportSemaphore);
  if (!function) return CL_INVALID_SEMAPHORE_KHR;
  const cl_int error = function(semaphore, properties, fd);
  if (error == CL_SUCCESS) semaphores().replaced(semaphore);
  return error;
}

}  // namespace

void* semaphore_function(std::string_view name) {
  if (name == kCreateSemaphore) return guarded<create_semaphore>(kCreateSemaphore);
  if (name == kRetainSemaphore) return guarded<retain_semaphore>(kRetainSemaphore);
  if (name == kReleaseSemaphore) return guarded<release_semaphore>(kReleaseSemaphore);
  if (name == kInfoSemaphore) return guarded<semaphore_info>(kInfoSemaphore);
  if (name == kWaitSemaphores) return guarded<wait_semaphores>(kWaitSemaphores);
  if (name == kSignalSemaphores) return guarded<signal_semaphores>(kSignalSemaphores);
  if (name == kHandleSemaphore) return guarded<semaphore_handle>(kHandleSemaphore);
  return name == kReImportSemaphore ? guarded<re_import_semaphore>(kReImportSemaphore) : nullptr;
}

}  // namespace samcl::api
