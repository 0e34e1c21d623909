#include "libsamcl/testing/fake_driver.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/clock.h"
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/driver.h"

// The library's own is generated with its entry points; here only its address counts.
namespace samcl {
const cl_icd_dispatch samcl_dispatch{};
}

namespace samcl::testing {
namespace {

// Real objects begin with a dispatch pointer.
struct Real {
  const cl_icd_dispatch* dispatch = nullptr;
};
struct RealPlatform : Real {};
struct RealDeviceObject : Real {};
struct RealContext : Real {};
struct RealQueue : Real {
  RealContext* context = nullptr;
};
struct RealBuffer : Real {
  RealContext* context = nullptr;
  std::vector<std::byte> bytes;
};
struct RealEvent : Real {
  uint64_t made_ns = now_ns();
};
// What its clock shows less than the host's.
constexpr uint64_t kClockBehindNs = 1'000'000;

FakeDriver* g_driver = nullptr;
RealPlatform g_platform;

template <typename T, typename Api>
T* object(Api handle) {
  return reinterpret_cast<T*>(handle);
}
template <typename Api, typename T>
Api handle(T* object) {
  return reinterpret_cast<Api>(object);
}

cl_int give_text(std::string_view text, size_t size, void* value, size_t* size_out) {
  if (size_out) *size_out = text.size() + 1;
  if (!value) return CL_SUCCESS;
  if (size < text.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(value, text.data(), text.size());
  static_cast<char*>(value)[text.size()] = 0;
  return CL_SUCCESS;
}

cl_int CL_API_CALL platform_info(cl_platform_id, cl_platform_info, size_t size, void* value, size_t* size_out) {
  return give_text("Fake", size, value, size_out);
}

cl_int CL_API_CALL device_info(cl_device_id, cl_device_info what, size_t size, void* value, size_t* size_out) {
  if (what != CL_DEVICE_PLATFORM) return give_text("fake", size, value, size_out);
  if (size_out) *size_out = sizeof(cl_platform_id);
  if (value) *static_cast<cl_platform_id*>(value) = handle<cl_platform_id>(&g_platform);
  return CL_SUCCESS;
}

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*,
                                      cl_int* error) {
  *error = CL_SUCCESS;
  return handle<cl_context>(new RealContext);
}
cl_int CL_API_CALL release_context(cl_context context) {
  delete object<RealContext>(context);
  return CL_SUCCESS;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id, cl_command_queue_properties,
                                          cl_int* error) {
  *error = CL_SUCCESS;
  auto* queue = new RealQueue;
  queue->context = object<RealContext>(context);
  return handle<cl_command_queue>(queue);
}
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  delete object<RealQueue>(queue);
  return CL_SUCCESS;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags, size_t size, void*, cl_int* error) {
  *error = g_driver->enter(Call::create_buffer);
  if (*error != CL_SUCCESS) return nullptr;
  auto* buffer = new RealBuffer;
  buffer->context = object<RealContext>(context);
  buffer->bytes.assign(size, std::byte{0xcd});
  g_driver->buffer_lives(1);
  return handle<cl_mem>(buffer);
}
cl_int CL_API_CALL release_buffer(cl_mem buffer) {
  delete object<RealBuffer>(buffer);
  g_driver->buffer_lives(-1);
  return CL_SUCCESS;
}

cl_int CL_API_CALL wait_for_events(cl_uint, const cl_event*) {
  g_driver->wait_while_suspended();
  return CL_SUCCESS;
}
cl_int CL_API_CALL finish(cl_command_queue) {
  const cl_int error = g_driver->enter(Call::finish);
  g_driver->wait_while_suspended();
  return error;
}
cl_int CL_API_CALL event_info(cl_event, cl_event_info, size_t, void* value, size_t*) {
  *static_cast<cl_int*>(value) = g_driver->is_suspended() ? CL_RUNNING : CL_COMPLETE;
  return CL_SUCCESS;
}
// A microsecond is all that anything takes.
cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info what, size_t, void* value, size_t*) {
  const cl_int error = g_driver->enter(Call::tell_time);
  const uint64_t began = object<RealEvent>(event)->made_ns - kClockBehindNs;
  if (error == CL_SUCCESS) *static_cast<cl_ulong*>(value) = what == CL_PROFILING_COMMAND_END ? began + 1000 : began;
  return error;
}
cl_int CL_API_CALL flush(cl_command_queue) { return CL_SUCCESS; }
cl_int CL_API_CALL mark(cl_command_queue, cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = g_driver->enter(Call::mark);
  if (error == CL_SUCCESS) *event = handle<cl_event>(new RealEvent);
  return error;
}
cl_int CL_API_CALL release_event(cl_event event) {
  delete object<RealEvent>(event);
  return CL_SUCCESS;
}

// Whether the call is to go on: the buffer is of the queue's context and has that range.
cl_int enter(Call call, cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, cl_event* event) {
  const cl_int error = g_driver->enter(call);
  if (error != CL_SUCCESS) return error;
  const auto& real = *object<RealBuffer>(buffer);
  if (real.context != object<RealQueue>(queue)->context) return g_driver->misuse(CL_INVALID_CONTEXT);
  if (bytes == 0 || offset + bytes > real.bytes.size()) return g_driver->misuse(CL_INVALID_VALUE);
  if (event) *event = handle<cl_event>(new RealEvent);
  return CL_SUCCESS;
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool, size_t offset, size_t bytes,
                                const void* from, cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = enter(Call::write, queue, to, offset, bytes, event);
  if (error == CL_SUCCESS) std::memcpy(object<RealBuffer>(to)->bytes.data() + offset, from, bytes);
  return error;
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool, size_t offset, size_t bytes, void* to,
                               cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = enter(Call::read, queue, from, offset, bytes, event);
  if (error == CL_SUCCESS) std::memcpy(to, object<RealBuffer>(from)->bytes.data() + offset, bytes);
  return error;
}

cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem to, const void* pattern, size_t width, size_t offset,
                               size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = enter(Call::fill, queue, to, offset, bytes, event);
  if (error != CL_SUCCESS) return error;
  if (offset % width != 0 || bytes % width != 0) return g_driver->misuse(CL_INVALID_VALUE);
  for (size_t at = 0; at < bytes; at += width)
    std::memcpy(object<RealBuffer>(to)->bytes.data() + offset + at, pattern, width);
  return CL_SUCCESS;
}

cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                               size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  cl_int error = enter(Call::copy, queue, to, to_offset, bytes, event);
  if (error != CL_SUCCESS) return error;
  const auto& source = *object<RealBuffer>(from);
  if (source.context != object<RealQueue>(queue)->context || from_offset + bytes > source.bytes.size())
    return g_driver->misuse(CL_INVALID_VALUE);
  std::memmove(object<RealBuffer>(to)->bytes.data() + to_offset, source.bytes.data() + from_offset, bytes);
  return CL_SUCCESS;
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch table = driver::unsupported_table();
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceInfo = device_info;
  table.clCreateContext = create_context;
  table.clReleaseContext = release_context;
  table.clCreateCommandQueue = create_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clCreateBuffer = create_buffer;
  table.clReleaseMemObject = release_buffer;
  table.clWaitForEvents = wait_for_events;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clGetEventInfo = event_info;
  table.clGetEventProfilingInfo = event_times;
  table.clEnqueueMarkerWithWaitList = mark;
  table.clReleaseEvent = release_event;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  return table;
}

}  // namespace

FakeDriver::FakeDriver(unsigned devices) {
  static const cl_icd_dispatch table = make_table();
  for (unsigned i = 0; i < devices; ++i) devices_.push_back(handle<cl_device_id>(new RealDeviceObject));
  g_driver = this;
  driver::detail::real_table.store(&table);
}

FakeDriver::~FakeDriver() {
  for (cl_device_id device : devices_) delete object<RealDeviceObject>(device);
  g_driver = nullptr;
}

void FakeDriver::resume() {
  suspended_ = false;
  suspended_.notify_all();
}

std::shared_ptr<Context> FakeDriver::make_context(lease::Client* client) {
  cl_int error = CL_SUCCESS;
  std::vector<LeaseTarget> leases;
  for (uint32_t i = 0; i < devices_.size(); ++i) leases.push_back({client, i});
  auto device = Device::make_shared(handle<cl_platform_id>(&g_platform), devices_, std::move(leases));
  return Context::create(std::move(device), nullptr, &error);
}

void FakeDriver::fail(Call call, cl_int error, int times) {
  failures_[static_cast<size_t>(call)].error = error;
  failures_[static_cast<size_t>(call)].left = times;
}

std::vector<std::byte>& FakeDriver::contents(cl_mem buffer) { return object<RealBuffer>(buffer)->bytes; }

cl_int FakeDriver::enter(Call call) {
  ++counts_[static_cast<size_t>(call)];
  Failures& failures = failures_[static_cast<size_t>(call)];
  int left = failures.left;
  while (left > 0 && !failures.left.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0 ? failures.error.load() : CL_SUCCESS;
}

cl_int FakeDriver::misuse(cl_int error) {
  ++misuses_;
  return error;
}

}  // namespace samcl::testing
