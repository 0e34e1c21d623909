// An OpenCL layer that gives the driver beneath it cl_khr_semaphore, with binary semaphores that can be exported as
// opaque and as sync file descriptors and imported again in this process. They are made of markers, user events and
// callbacks: a wait is a user event that a marker behind it waits for, and that a signal ends.
#include <CL/cl_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/programs/opencl_layer.h"

namespace {

// Younger than the headers of 2022.
constexpr cl_properties kDeviceHandleList = 0x2053;
constexpr cl_uint kExportable = 0x2054;

const char* const kExtensions[] = {"cl_khr_semaphore", "cl_khr_external_semaphore",
                                   "cl_khr_external_semaphore_opaque_fd", "cl_khr_external_semaphore_sync_fd"};

std::mutex everything;  // guards all below but what is atomic; no function of OpenCL is called under it

// A wait on its way: for so many payloads.
struct Wait {
  cl_event until;
  size_t left;
};

// What signals and waits are about. Those that were exported and imported share it.
struct Payload {
  bool signalled = false;
  unsigned pending = 0;  // signals on their way
  std::deque<std::shared_ptr<Wait>> waiting;
};
using PayloadPtr = std::shared_ptr<Payload>;

std::map<int, PayloadPtr> exported;  // by the number that is in the file
int last_number = 0;

}  // namespace

struct _cl_semaphore_khr {
  cl_context context = nullptr;
  std::vector<cl_properties> properties;
  std::vector<cl_device_id> devices;
  std::vector<cl_uint> handle_types;  // that it can be exported as
  cl_uint references = 1;
  PayloadPtr payload = std::make_shared<Payload>();
};

namespace {

std::set<cl_semaphore_khr> semaphores;

PayloadPtr payload_in(int file) {
  int number = 0;
  if (pread(file, &number, sizeof number, 0) != sizeof number) return nullptr;
  close(file);  // it is OpenCL's from now on
  const std::lock_guard lock(everything);
  const auto found = exported.find(number);
  return found == exported.end() ? nullptr : found->second;
}

cl_int refused(cl_int* error, cl_int code) {
  if (error) *error = code;
  return code;
}

// What comes of one property; CL_SUCCESS if it is one.
cl_int apply(_cl_semaphore_khr& made, cl_properties name, const std::vector<cl_properties>& values, bool& has_type) {
  switch (name) {
    case CL_SEMAPHORE_TYPE_KHR:
      has_type = true;
      return values[0] == CL_SEMAPHORE_TYPE_BINARY_KHR ? CL_SUCCESS : CL_INVALID_VALUE;
    case kDeviceHandleList:
      for (const cl_properties value : values) {
        const auto device = reinterpret_cast<cl_device_id>(value);
        size_t bytes = 0;
        beneath->clGetContextInfo(made.context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes);
        std::vector<cl_device_id> known(bytes / sizeof device);
        beneath->clGetContextInfo(made.context, CL_CONTEXT_DEVICES, bytes, known.data(), nullptr);
        if (std::find(known.begin(), known.end(), device) == known.end()) return CL_INVALID_DEVICE;
        made.devices.push_back(device);
      }
      return CL_SUCCESS;
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
      made.handle_types.assign(values.begin(), values.end());
      return CL_SUCCESS;
    case CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
    case CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
      if (name == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR && static_cast<int>(values[0]) == -1) return CL_SUCCESS;
      made.payload = payload_in(static_cast<int>(values[0]));
      return made.payload ? CL_SUCCESS : CL_INVALID_VALUE;
    default: return CL_INVALID_PROPERTY;
  }
}

cl_semaphore_khr CL_API_CALL create(cl_context context, const cl_semaphore_properties_khr* properties, cl_int* error) {
  size_t bytes = 0;
  if (!context || beneath->clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS) {
    refused(error, CL_INVALID_CONTEXT);
    return nullptr;
  }
  if (!properties) {
    refused(error, CL_INVALID_VALUE);
    return nullptr;
  }
  auto made = std::make_unique<_cl_semaphore_khr>();
  made->context = context;
  bool has_type = false;
  while (*properties != 0) {
    const cl_properties name = *properties++;
    std::vector<cl_properties> values;
    const bool is_list = name == kDeviceHandleList || name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    made->properties.push_back(name);
    while (is_list && *properties != 0) values.push_back(*properties++);
    if (!is_list) values.push_back(*properties);
    ++properties;
    made->properties.insert(made->properties.end(), values.begin(), values.end());
    if (is_list) made->properties.push_back(0);
    if (refused(error, apply(*made, name, values, has_type)) != CL_SUCCESS) return nullptr;
  }
  made->properties.push_back(0);
  if (refused(error, has_type ? CL_SUCCESS : CL_INVALID_PROPERTY) != CL_SUCCESS) return nullptr;
  if (made->devices.empty()) {
    made->devices.resize(bytes / sizeof(cl_device_id));
    beneath->clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, made->devices.data(), nullptr);
  }
  beneath->clRetainContext(context);
  const std::lock_guard lock(everything);
  semaphores.insert(made.get());
  return made.release();
}

cl_int CL_API_CALL retain(cl_semaphore_khr semaphore) {
  const std::lock_guard lock(everything);
  if (!semaphores.contains(semaphore)) return CL_INVALID_SEMAPHORE_KHR;
  ++semaphore->references;
  return CL_SUCCESS;
}

cl_int CL_API_CALL release(cl_semaphore_khr semaphore) {
  {
    const std::lock_guard lock(everything);
    if (!semaphores.contains(semaphore)) return CL_INVALID_SEMAPHORE_KHR;
    if (--semaphore->references > 0) return CL_SUCCESS;
    semaphores.erase(semaphore);
  }
  beneath->clReleaseContext(semaphore->context);
  delete semaphore;
  return CL_SUCCESS;
}

cl_int CL_API_CALL info(cl_semaphore_khr semaphore, cl_semaphore_info_khr name, size_t size, void* value,
                        size_t* size_ret) {
  const std::lock_guard lock(everything);
  if (!semaphores.contains(semaphore)) return CL_INVALID_SEMAPHORE_KHR;
  const _cl_semaphore_khr& its = *semaphore;
  const cl_semaphore_type_khr type = CL_SEMAPHORE_TYPE_BINARY_KHR;
  const cl_semaphore_payload_khr payload = its.payload->signalled ? 1 : 0;
  const cl_bool is_exportable = its.handle_types.empty() ? CL_FALSE : CL_TRUE;
  switch (name) {
    case CL_SEMAPHORE_CONTEXT_KHR: return answer(&its.context, sizeof its.context, size, value, size_ret);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR: return answer(&its.references, sizeof its.references, size, value, size_ret);
    case CL_SEMAPHORE_PROPERTIES_KHR:
      return answer(its.properties.data(), its.properties.size() * sizeof(cl_properties), size, value, size_ret);
    case CL_SEMAPHORE_PAYLOAD_KHR: return answer(&payload, sizeof payload, size, value, size_ret);
    case CL_SEMAPHORE_TYPE_KHR: return answer(&type, sizeof type, size, value, size_ret);
    case kDeviceHandleList:
      return answer(its.devices.data(), its.devices.size() * sizeof(cl_device_id), size, value, size_ret);
    case kExportable: return answer(&is_exportable, sizeof is_exportable, size, value, size_ret);
    default: return CL_INVALID_VALUE;
  }
}

// A command on its way: the marker that says when it begins, then what it does, then the user event that ends it.
struct Command {
  bool is_wait;
  std::vector<PayloadPtr> payloads;
  cl_event until;
};

void end(const std::vector<cl_event>& events, cl_int status = CL_COMPLETE) {
  for (const cl_event event : events) {
    beneath->clSetUserEventStatus(event, status);
    beneath->clReleaseEvent(event);
  }
}

// Which waits end.
std::vector<cl_event> signal(const std::vector<PayloadPtr>& payloads) {
  std::vector<cl_event> over;
  const std::lock_guard lock(everything);
  for (const PayloadPtr& payload : payloads) {
    --payload->pending;
    if (payload->waiting.empty()) {
      payload->signalled = true;
      continue;
    }
    if (--payload->waiting.front()->left == 0) over.push_back(payload->waiting.front()->until);
    payload->waiting.pop_front();
  }
  return over;
}

std::vector<cl_event> wait(const Command& command) {
  const std::lock_guard lock(everything);
  auto wait = std::make_shared<Wait>(Wait{command.until, command.payloads.size()});
  for (const PayloadPtr& payload : command.payloads) {
    if (!std::exchange(payload->signalled, false)) {
      payload->waiting.push_back(wait);
    } else {
      --wait->left;
    }
  }
  return wait->left == 0 ? std::vector{command.until} : std::vector<cl_event>();
}

// A signal that does not come.
void forget(const Command& command) {
  const std::lock_guard lock(everything);
  if (command.is_wait) return;
  for (const PayloadPtr& payload : command.payloads) --payload->pending;
}

void begin(const std::unique_ptr<Command>& command, cl_int status) {
  if (status < 0) {
    forget(*command);
    end({command->until}, status);
  } else if (command->is_wait) {
    end(wait(*command));
  } else {
    end(signal(command->payloads));
    end({command->until});
  }
}

// PoCL holds locks while it calls back: commands begin on a thread of ours, which lives as long as the process.
class Beginner {
 public:
  static Beginner& the() {
    static Beginner* const beginner = new Beginner;
    return *beginner;
  }
  void take(cl_event begun, std::unique_ptr<Command> command, cl_int status) {
    const std::lock_guard lock(mutex_);
    begun_.push_back({begun, std::move(command), status});
    came_.notify_one();
  }

 private:
  struct Begun {
    cl_event event;
    std::unique_ptr<Command> command;
    cl_int status;
  };
  Beginner() {
    std::thread([this] { work(); }).detach();
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      came_.wait(lock, [this] { return !begun_.empty(); });
      const Begun next = std::move(begun_.front());
      begun_.pop_front();
      lock.unlock();
      begin(next.command, next.status);
      beneath->clReleaseEvent(next.event);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Begun> begun_;
};

void CL_CALLBACK has_begun(cl_event begun, cl_int status, void* data) {
  Beginner::the().take(begun, std::unique_ptr<Command>(static_cast<Command*>(data)), status);
}

// In an out-of-order queue a command without a wait list comes after nothing.
cl_int begin_event(cl_command_queue queue, cl_context context, cl_uint wait_count, const cl_event* waits,
                   cl_event* begun) {
  cl_command_queue_properties properties = 0;
  beneath->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if (!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) || wait_count > 0 || waits)
    return beneath->clEnqueueMarkerWithWaitList(queue, wait_count, waits, begun);
  cl_int error = CL_SUCCESS;
  *begun = beneath->clCreateUserEvent(context, &error);
  return error == CL_SUCCESS ? beneath->clSetUserEventStatus(*begun, CL_COMPLETE) : error;
}

cl_int enqueue(bool is_wait, cl_command_queue queue, cl_uint count, const cl_semaphore_khr* list, cl_uint wait_count,
               const cl_event* waits, cl_event* event) {
  cl_context context = nullptr;
  if (!queue ||
      beneath->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
    return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || !list) return CL_INVALID_VALUE;
  auto command = std::make_unique<Command>(Command{is_wait, {}, nullptr});
  {
    const std::lock_guard lock(everything);
    for (cl_uint i = 0; i < count; ++i) {
      if (!semaphores.contains(list[i])) return CL_INVALID_SEMAPHORE_KHR;
      if (list[i]->context != context) return CL_INVALID_CONTEXT;
      command->payloads.push_back(list[i]->payload);
    }
  }
  cl_event begun = nullptr, over = nullptr;
  cl_int error = begin_event(queue, context, wait_count, waits, &begun);
  if (error != CL_SUCCESS) return error;
  command->until = beneath->clCreateUserEvent(context, &error);
  if (error == CL_SUCCESS) error = beneath->clEnqueueMarkerWithWaitList(queue, 1, &command->until, &over);
  if (error != CL_SUCCESS) return error;
  if (!is_wait) {
    const std::lock_guard lock(everything);
    for (const PayloadPtr& payload : command->payloads) ++payload->pending;
  }
  error = beneath->clSetEventCallback(begun, CL_COMPLETE, has_begun, command.release());
  if (event) {
    *event = over;
  } else {
    beneath->clReleaseEvent(over);
  }
  return error;
}

cl_int CL_API_CALL enqueue_wait(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* list,
                                const cl_semaphore_payload_khr*, cl_uint wait_count, const cl_event* waits,
                                cl_event* event) {
  return enqueue(true, queue, count, list, wait_count, waits, event);
}

cl_int CL_API_CALL enqueue_signal(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* list,
                                  const cl_semaphore_payload_khr*, cl_uint wait_count, const cl_event* waits,
                                  cl_event* event) {
  return enqueue(false, queue, count, list, wait_count, waits, event);
}

// A sync file descriptor takes what is signalled, or going to be, with it.
cl_int CL_API_CALL handle(cl_semaphore_khr semaphore, cl_device_id device, cl_external_semaphore_handle_type_khr type,
                          size_t size, void* value, size_t* size_ret) {
  const std::lock_guard lock(everything);
  if (!semaphores.contains(semaphore)) return CL_INVALID_SEMAPHORE_KHR;
  const auto& devices = semaphore->devices;
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) return CL_INVALID_DEVICE;
  const auto& types = semaphore->handle_types;
  if (std::find(types.begin(), types.end(), type) == types.end()) return CL_INVALID_VALUE;
  if (value && size < sizeof(int)) return CL_INVALID_VALUE;
  const bool is_sync = type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
  if (is_sync && !semaphore->payload->signalled && semaphore->payload->pending == 0) return CL_INVALID_OPERATION;
  int file = -1;
  if (value) {
    const int number = ++last_number;
    file = memfd_create("semaphore", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &number, sizeof number, 0) != sizeof number) return CL_OUT_OF_RESOURCES;
    exported[number] = semaphore->payload;
    if (is_sync) semaphore->payload = std::make_shared<Payload>();
  }
  return answer(&file, sizeof file, size, value, size_ret);
}

cl_int CL_API_CALL re_import(cl_semaphore_khr semaphore, cl_properties*, int file) {
  PayloadPtr payload = file == -1 ? std::make_shared<Payload>(Payload{.signalled = true, .pending = 0, .waiting = {}})
                                  : payload_in(file);
  const std::lock_guard lock(everything);
  if (!semaphores.contains(semaphore)) return CL_INVALID_SEMAPHORE_KHR;
  if (!payload) return CL_INVALID_VALUE;
  semaphore->payload = std::move(payload);
  return CL_SUCCESS;
}

// What the driver says, and our extensions.
template <typename Ask>
cl_int with_extensions(Ask ask, size_t size, void* value, size_t* size_ret) {
  size_t bytes = 0;
  if (const cl_int error = ask(0, nullptr, &bytes); error != CL_SUCCESS) return error;
  std::string all(bytes, '\0');
  ask(bytes, all.data(), nullptr);
  all = all.c_str();
  for (const char* const extension : kExtensions) all += std::string(" ") + extension;
  return answer(all.c_str(), all.size() + 1, size, value, size_ret);
}

template <typename Ask>
cl_int with_versions(Ask ask, size_t size, void* value, size_t* size_ret) {
  size_t bytes = 0;
  if (const cl_int error = ask(0, nullptr, &bytes); error != CL_SUCCESS) return error;
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  ask(bytes, all.data(), nullptr);
  for (const char* const extension : kExtensions) {
    cl_name_version named{CL_MAKE_VERSION(1, 0, 0), {}};
    std::strncpy(named.name, extension, sizeof named.name - 1);
    all.push_back(named);
  }
  return answer(all.data(), all.size() * sizeof(cl_name_version), size, value, size_ret);
}

cl_int types(size_t size, void* value, size_t* size_ret) {
  const cl_semaphore_type_khr all[] = {CL_SEMAPHORE_TYPE_BINARY_KHR};
  return answer(all, sizeof all, size, value, size_ret);
}

cl_int handle_types(size_t size, void* value, size_t* size_ret) {
  const cl_external_semaphore_handle_type_khr all[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                       CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
  return answer(all, sizeof all, size, value, size_ret);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  const auto ask = [&](size_t room, void* to, size_t* bytes) {
    return beneath->clGetDeviceInfo(device, name, room, to, bytes);
  };
  switch (name) {
    case CL_DEVICE_EXTENSIONS: return with_extensions(ask, size, value, size_ret);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return with_versions(ask, size, value, size_ret);
    case CL_DEVICE_SEMAPHORE_TYPES_KHR: return types(size, value, size_ret);
    case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return handle_types(size, value, size_ret);
    default: return ask(size, value, size_ret);
  }
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t size, void* value,
                                 size_t* size_ret) {
  const auto ask = [&](size_t room, void* to, size_t* bytes) {
    return beneath->clGetPlatformInfo(platform, name, room, to, bytes);
  };
  switch (name) {
    case CL_PLATFORM_EXTENSIONS: return with_extensions(ask, size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return with_versions(ask, size, value, size_ret);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR: return types(size, value, size_ret);
    case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
    case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return handle_types(size, value, size_ret);
    default: return ask(size, value, size_ret);
  }
}

void* CL_API_CALL function_of_platform(cl_platform_id platform, const char* name) {
  const std::map<std::string, void*> functions = {
      {"clCreateSemaphoreWithPropertiesKHR", reinterpret_cast<void*>(&create)},
      {"clRetainSemaphoreKHR", reinterpret_cast<void*>(&retain)},
      {"clReleaseSemaphoreKHR", reinterpret_cast<void*>(&release)},
      {"clGetSemaphoreInfoKHR", reinterpret_cast<void*>(&info)},
      {"clEnqueueWaitSemaphoresKHR", reinterpret_cast<void*>(&enqueue_wait)},
      {"clEnqueueSignalSemaphoresKHR", reinterpret_cast<void*>(&enqueue_signal)},
      {"clGetSemaphoreHandleForTypeKHR", reinterpret_cast<void*>(&handle)},
      {"clReImportSemaphoreSyncFdKHR", reinterpret_cast<void*>(&re_import)},
  };
  const auto found = functions.find(name);
  return found != functions.end() ? found->second : beneath->clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = device_info;
  table.clGetPlatformInfo = platform_info;
  table.clGetExtensionFunctionAddressForPlatform = function_of_platform;
}
