// An OpenCL layer that makes GPUs of the driver's devices which compute nothing, and take known times for it: what
// launching costs beside that can then be seen, and profiled, on a machine without a GPU. Kernels do not run, so that
// results are wrong; copies are the driver's. The driver serves one thread at a time, as NVIDIA's does.
//
//   OPENCL_LAYERS=libtimed_device.so TIMED_DEVICE="call=4000 event=5000 marker=7000 query=500 kernel=3000"
//   LaunchOverhead
//
// Times are ns: of the host for a launch, for an event of its own, a marker, and a question about an event; of the
// device for a kernel, and "item" ps for each of its work-items. It makes no more than so many "contexts". With the
// word "told" it tells at the end how often it was called.
#include <CL/cl_ext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/programs/opencl_layer.h"

namespace {

using samcl::now_ns;

uint64_t setting(const std::string& name, uint64_t otherwise) {
  const char* const all = std::getenv("TIMED_DEVICE");
  std::istringstream words(all ? all : "");
  for (std::string word; words >> word;)
    if (word.starts_with(name + "=")) return std::stoull(word.substr(name.size() + 1));
  return otherwise;
}

struct Times {
  uint64_t call = setting("call", 4'000), event = setting("event", 5'000), marker = setting("marker", 7'000),
           query = setting("query", 500), kernel = setting("kernel", 3'000), item = setting("item", 0),
           contexts = setting("contexts", 1'000'000);
};
const Times& times() {
  static const Times all;
  return all;
}

// The first word is what the loader looks for in every OpenCL object, the second tells ours from the driver's.
struct Event {
  static constexpr uint64_t kOurs = 0x7469'6d65'645f'6576;
  const void* dispatch;
  uint64_t mark;
  cl_command_queue queue;
  cl_command_type type;
  uint64_t queued, began, ended;
  std::atomic<cl_uint> references;
};

Event* ours(cl_event event) {
  Event* const known = reinterpret_cast<Event*>(event);
  return known && known->mark == Event::kOurs ? known : nullptr;
}

std::mutex driver;  // held by who calls it

// How often it was called; told at the end where TIMED_DEVICE says "told".
struct Calls {
  std::atomic<uint64_t> launches{0}, with_event{0}, markers{0}, questions{0}, contexts{0};
  ~Calls() {
    const char* const all = std::getenv("TIMED_DEVICE");
    if (!all || !std::strstr(all, "told")) return;
    const auto told = [](const std::atomic<uint64_t>& count) { return static_cast<unsigned long long>(count); };
    std::fprintf(
        stderr,
        "timed_device: %llu launches, %llu of them with an event, %llu markers, %llu questions, %llu contexts\n",
        told(launches), told(with_event), told(markers), told(questions), told(contexts));
  }
} calls;
std::map<cl_command_queue, uint64_t> busy_until;  // guarded by it

void spin_until(uint64_t end) {
  while (now_ns() < end) {
  }
}

// Sleeps as long as a sleep surely ends before that.
void wait_until(uint64_t end) {
  constexpr uint64_t kOfASleep = 200'000;
  if (const uint64_t now = now_ns(); now + kOfASleep < end)
    std::this_thread::sleep_for(std::chrono::nanoseconds(end - now - kOfASleep));
  spin_until(end);
}

// The thread computes that long, while it keeps others out.
void spend(uint64_t ns) { spin_until(now_ns() + ns); }

// Under the mutex.
void issue(cl_command_queue queue, cl_command_type type, uint64_t device_ns, cl_event* event) {
  const uint64_t queued = now_ns();
  uint64_t& until = busy_until[queue];
  const uint64_t began = std::max(queued, until);
  until = began + device_ns;
  if (!event) return;
  const void* const dispatch = *reinterpret_cast<const void**>(queue);
  *event = reinterpret_cast<cl_event>(new Event{dispatch, Event::kOurs, queue, type, queued, began, until, {1}});
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel, cl_uint dimensions, const size_t*, const size_t* global,
                          const size_t*, cl_uint, const cl_event*, cl_event* event) {
  const uint64_t items = std::accumulate(global, global + dimensions, uint64_t{1}, std::multiplies<>());
  std::lock_guard one_at_a_time(driver);
  ++calls.launches;
  calls.with_event += event != nullptr;
  spend(times().call + (event ? times().event : 0));
  issue(queue, CL_COMMAND_NDRANGE_KERNEL, times().kernel + items * times().item / 1000, event);
  return CL_SUCCESS;
}

cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint, const cl_event*, cl_event* event) {
  std::lock_guard one_at_a_time(driver);
  ++calls.markers;
  spend(times().marker);
  issue(queue, CL_COMMAND_MARKER, 0, event);
  return CL_SUCCESS;
}

void wait_for_all(cl_command_queue queue) {
  uint64_t until = 0;
  {
    std::lock_guard one_at_a_time(driver);
    until = busy_until[queue];
  }
  wait_until(until);
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  wait_for_all(queue);
  return beneath->clFinish(queue);
}

cl_int CL_API_CALL wait(cl_uint count, const cl_event* events) {
  std::vector<cl_event> others;
  for (cl_uint i = 0; i < count; ++i) {
    if (const Event* const event = ours(events[i])) {
      wait_until(event->ended);
    } else {
      others.push_back(events[i]);
    }
  }
  return others.empty() && count > 0 ? CL_SUCCESS
                                     : beneath->clWaitForEvents(static_cast<cl_uint>(others.size()), others.data());
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void* value, size_t* size_ret) {
  const Event* const known = ours(event);
  if (!known) return beneath->clGetEventInfo(event, name, size, value, size_ret);
  std::lock_guard one_at_a_time(driver);
  ++calls.questions;
  spend(times().query);
  const uint64_t now = now_ns();
  const cl_int status = now >= known->ended ? CL_COMPLETE : now >= known->began ? CL_RUNNING : CL_SUBMITTED;
  const cl_uint references = known->references;
  switch (name) {
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return answer(&status, sizeof status, size, value, size_ret);
    case CL_EVENT_COMMAND_TYPE: return answer(&known->type, sizeof known->type, size, value, size_ret);
    case CL_EVENT_COMMAND_QUEUE: return answer(&known->queue, sizeof known->queue, size, value, size_ret);
    case CL_EVENT_REFERENCE_COUNT: return answer(&references, sizeof references, size, value, size_ret);
    default: return CL_INVALID_VALUE;
  }
}

// As PoCL tells the times of copies: the device has one clock, which is not the host's.
uint64_t on_device_clock(uint64_t ns) {
  static const uint64_t ahead = [] {
    timespec raw{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
    return static_cast<uint64_t>(raw.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(raw.tv_nsec) - now_ns();
  }();
  return ns + ahead;
}

cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size, void* value, size_t* size_ret) {
  const Event* const known = ours(event);
  if (!known) return beneath->clGetEventProfilingInfo(event, name, size, value, size_ret);
  if (now_ns() < known->ended) return CL_PROFILING_INFO_NOT_AVAILABLE;
  uint64_t at = 0;
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
    case CL_PROFILING_COMMAND_SUBMIT: at = known->queued; break;
    case CL_PROFILING_COMMAND_START: at = known->began; break;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: at = known->ended; break;
    default: return CL_INVALID_VALUE;
  }
  at = on_device_clock(at);
  return answer(&at, sizeof at, size, value, size_ret);
}

cl_int CL_API_CALL retain(cl_event event) {
  Event* const known = ours(event);
  if (!known) return beneath->clRetainEvent(event);
  ++known->references;
  return CL_SUCCESS;
}

cl_int CL_API_CALL release(cl_event event) {
  Event* const known = ours(event);
  if (!known) return beneath->clReleaseEvent(event);
  if (--known->references == 0) {
    known->mark = 0;
    delete known;
  }
  return CL_SUCCESS;
}

// Copies come when the device has ended all that is before them.
cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset, size_t bytes,
                                const void* from, cl_uint count, const cl_event* events, cl_event* event) {
  wait_for_all(queue);
  if (count > 0) wait(count, events);
  return beneath->clEnqueueWriteBuffer(queue, memory, blocks, offset, bytes, from, 0, nullptr, event);
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset, size_t bytes,
                               void* to, cl_uint count, const cl_event* events, cl_event* event) {
  wait_for_all(queue);
  if (count > 0) wait(count, events);
  return beneath->clEnqueueReadBuffer(queue, memory, blocks, offset, bytes, to, 0, nullptr, event);
}

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices,
                                      void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                      void* user_data, cl_int* error) {
  if (++calls.contexts > times().contexts) {
    if (error) *error = CL_OUT_OF_RESOURCES;
    return nullptr;
  }
  return beneath->clCreateContext(properties, count, devices, notify, user_data, error);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* size_ret) {
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  if (name == CL_DEVICE_TYPE) return answer(&type, sizeof type, size, value, size_ret);
  return beneath->clGetDeviceInfo(device, name, size, value, size_ret);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clEnqueueNDRangeKernel = launch;
  table.clEnqueueMarkerWithWaitList = marker;
  table.clFinish = finish;
  table.clWaitForEvents = wait;
  table.clGetEventInfo = event_info;
  table.clGetEventProfilingInfo = profiling_info;
  table.clRetainEvent = retain;
  table.clReleaseEvent = release;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clGetDeviceInfo = device_info;
  table.clCreateContext = create_context;
}
