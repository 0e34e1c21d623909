#include "libsamcl/testing/fake_driver.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/clock.h"
#include "base/rectangle.h"
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
struct RealContext : Real {
  std::atomic<int> references{1};
};
struct RealQueue : Real {
  RealContext* context = nullptr;
  unsigned device = 0;
  std::atomic<int> busy_in{0};  // the suspension in which something was given to it
};
struct RealBuffer : Real {
  RealContext* context = nullptr;
  std::vector<std::byte> owned;
  std::span<std::byte> bytes;  // its own, the program's or its parent's
  RealBuffer* parent = nullptr;
  std::vector<RealBuffer*> parts;  // sub-buffers that live, the oldest first. Under g_parts

  // Whether a newer one has bytes of it, but not all: NVIDIA's driver crashes when it goes.
  bool has_newer_over_it() const {
    const auto end = [](const RealBuffer& buffer) { return buffer.bytes.data() + buffer.bytes.size(); };
    return std::any_of(std::ranges::find(parent->parts, this), parent->parts.end(), [&](const RealBuffer* newer) {
      return newer->bytes.data() < end(*this) && bytes.data() < end(*newer) &&
             (bytes.data() < newer->bytes.data() || end(*newer) < end(*this));
    });
  }
};
std::mutex g_parts;
struct RealEvent : Real {
  uint64_t made_ns = now_ns(), took_ns = 1000;
};
// What its clock shows less than the host's.
constexpr uint64_t kClockBehindNs = 1'000'000;
struct RealProgram : Real {
  std::atomic<int> references{1};
  std::string source;
};
struct RealKernelObject : Real {
  const FakeDriver::DefinedKernel* defined = nullptr;
  std::vector<std::vector<std::byte>> arguments;  // as they were set; a buffer's is its handle
};

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

template <typename T>
cl_int give_value(T given, size_t size, void* value, size_t* size_out) {
  if (size_out) *size_out = sizeof given;
  if (!value) return CL_SUCCESS;
  if (size < sizeof given) return CL_INVALID_VALUE;
  std::memcpy(value, &given, sizeof given);
  return CL_SUCCESS;
}

constexpr cl_device_info kServerAddress = 0x4503, kServerPort = 0x4504;  // of PoCL's remote driver

// Most numbers are unknown to it.
cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* size_out) {
  switch (what) {
    case kServerAddress:
    case kServerPort: {
      const std::string server = g_driver->server_of(device);
      if (server.empty()) return CL_INVALID_VALUE;
      if (what == kServerAddress) return give_text(server.substr(0, server.find(':')), size, value, size_out);
      return give_value<cl_uint>(std::stoul(server.substr(server.find(':') + 1)), size, value, size_out);
    }
    case CL_DEVICE_PLATFORM: return give_value(handle<cl_platform_id>(&g_platform), size, value, size_out);
    case CL_DEVICE_TYPE: {
      const bool is_cpu = g_driver->kind() == FakeDriver::Kind::cpu;
      return give_value<cl_device_type>(is_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU, size, value, size_out);
    }
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return give_value(std::array<size_t, 3>{1024, 1024, 64}, size, value, size_out);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return give_value<cl_ulong>(1 << 30, size, value, size_out);
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_VERSION:
    case CL_DRIVER_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION:
    case CL_DEVICE_EXTENSIONS: return give_text("fake", size, value, size_out);
    default: return CL_INVALID_VALUE;
  }
}

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*,
                                      cl_int* error) {
  *error = g_driver->enter(Call::create_context);
  return *error == CL_SUCCESS ? handle<cl_context>(new RealContext) : nullptr;
}
cl_int CL_API_CALL retain_context(cl_context context) {
  ++object<RealContext>(context)->references;
  return CL_SUCCESS;
}
cl_int CL_API_CALL release_context(cl_context context) {
  if (--object<RealContext>(context)->references == 0) delete object<RealContext>(context);
  return CL_SUCCESS;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device, cl_command_queue_properties,
                                          cl_int* error) {
  *error = CL_SUCCESS;
  auto* queue = new RealQueue;
  queue->context = object<RealContext>(context);
  queue->device = g_driver->index_of(device);
  return handle<cl_command_queue>(queue);
}
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  delete object<RealQueue>(queue);
  return CL_SUCCESS;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* error) {
  *error = g_driver->enter(Call::create_buffer);
  const bool is_hosts = g_driver->kind() == FakeDriver::Kind::cpu && (flags & CL_MEM_USE_HOST_PTR);
  if (*error == CL_SUCCESS && !is_hosts && !g_driver->has_memory(size)) *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (*error != CL_SUCCESS) return nullptr;
  auto* buffer = new RealBuffer;
  buffer->context = object<RealContext>(context);
  if (!is_hosts) buffer->owned.assign(size, std::byte{0xcd});
  buffer->bytes = is_hosts ? std::span(static_cast<std::byte*>(host), size) : std::span(buffer->owned);
  g_driver->buffer_lives(handle<cl_mem>(buffer), buffer->owned.size());
  return handle<cl_mem>(buffer);
}
cl_mem CL_API_CALL create_sub_buffer(cl_mem parent, cl_mem_flags, cl_buffer_create_type, const void* region,
                                     cl_int* error) {
  const auto& part = *static_cast<const cl_buffer_region*>(region);
  auto* buffer = new RealBuffer;
  buffer->context = object<RealBuffer>(parent)->context;
  buffer->parent = object<RealBuffer>(parent);
  buffer->bytes = buffer->parent->bytes.subspan(part.origin, part.size);
  {
    std::lock_guard lock(g_parts);
    buffer->parent->parts.push_back(buffer);
  }
  g_driver->buffer_lives(handle<cl_mem>(buffer));
  *error = CL_SUCCESS;
  return handle<cl_mem>(buffer);
}
cl_int CL_API_CALL release_buffer(cl_mem buffer) {
  auto* real = object<RealBuffer>(buffer);
  g_driver->buffer_dies(buffer, real->owned.size());
  std::lock_guard lock(g_parts);
  if (!real->parts.empty() || (real->parent && real->has_newer_over_it())) g_driver->misuse(CL_INVALID_MEM_OBJECT);
  if (real->parent) std::erase(real->parent->parts, real);
  delete real;
  return CL_SUCCESS;
}

cl_program CL_API_CALL create_program(cl_context, cl_uint, const char** texts, const size_t*, cl_int* error) {
  *error = CL_SUCCESS;
  auto* const program = new RealProgram;
  program->source = texts[0];
  return handle<cl_program>(program);
}
cl_int CL_API_CALL build_program(cl_program, cl_uint, const cl_device_id*, const char*,
                                 void(CL_CALLBACK*)(cl_program, void*), void*) {
  return g_driver->enter(Call::build);
}
cl_int CL_API_CALL retain_program(cl_program program) {
  ++object<RealProgram>(program)->references;
  return CL_SUCCESS;
}
cl_int CL_API_CALL release_program(cl_program program) {
  if (--object<RealProgram>(program)->references == 0) delete object<RealProgram>(program);
  return CL_SUCCESS;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* error) {
  const auto* defined = g_driver->kernel(name, object<RealProgram>(program)->source);
  *error = defined ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
  if (!defined) return nullptr;
  auto* kernel = new RealKernelObject;
  kernel->defined = defined;
  kernel->arguments.resize(defined->arguments + 1);  // the runtime may add one
  return handle<cl_kernel>(kernel);
}
cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  delete object<RealKernelObject>(kernel);
  return CL_SUCCESS;
}
cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info what, size_t size, void* value, size_t* size_out) {
  const auto& defined = *object<RealKernelObject>(kernel)->defined;
  if (what == CL_KERNEL_FUNCTION_NAME) return give_text(defined.name, size, value, size_out);
  if (what != CL_KERNEL_NUM_ARGS) return CL_INVALID_VALUE;
  *static_cast<cl_uint*>(value) = defined.arguments;
  return CL_SUCCESS;
}
cl_int CL_API_CALL kernel_group_info(cl_kernel, cl_device_id, cl_kernel_work_group_info what, size_t size, void* value,
                                     size_t* size_out) {
  if (what != CL_KERNEL_WORK_GROUP_SIZE) return CL_INVALID_VALUE;
  return give_value<size_t>(1024, size, value, size_out);
}
cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const auto* bytes = static_cast<const std::byte*>(value);
  auto& arguments = object<RealKernelObject>(kernel)->arguments;
  if (index >= arguments.size()) return g_driver->misuse(CL_INVALID_ARG_INDEX);
  if (const cl_int error = g_driver->enter(Call::argument); error != CL_SUCCESS) return error;
  arguments[index].assign(bytes, bytes + (value ? size : 0));
  return CL_SUCCESS;
}

void note_given(cl_command_queue queue) {
  if (g_driver->is_suspended()) object<RealQueue>(queue)->busy_in = g_driver->suspensions();
}

cl_int CL_API_CALL wait_for_events(cl_uint, const cl_event*) {
  g_driver->wait_while_suspended();
  return CL_SUCCESS;
}
// What has nothing to do is not waited for.
cl_int CL_API_CALL finish(cl_command_queue queue) {
  const cl_int error = g_driver->enter(Call::finish);
  if (!queue || object<RealQueue>(queue)->busy_in == g_driver->suspensions()) g_driver->wait_while_suspended();
  return error;
}
cl_int CL_API_CALL event_info(cl_event, cl_event_info, size_t, void* value, size_t*) {
  *static_cast<cl_int*>(value) = g_driver->is_suspended() ? CL_RUNNING : CL_COMPLETE;
  return CL_SUCCESS;
}
cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info what, size_t, void* value, size_t*) {
  const cl_int error = g_driver->enter(Call::tell_time);
  const RealEvent& ended = *object<RealEvent>(event);
  const uint64_t began = ended.made_ns - kClockBehindNs;
  if (error == CL_SUCCESS)
    *static_cast<cl_ulong*>(value) = what == CL_PROFILING_COMMAND_END ? began + ended.took_ns : began;
  return error;
}
cl_int CL_API_CALL flush(cl_command_queue) { return CL_SUCCESS; }
cl_int CL_API_CALL mark(cl_command_queue queue, cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = g_driver->enter(Call::mark);
  if (queue) note_given(queue);
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
  note_given(queue);
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

// All devices of a context have the same memory here.
cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint count, const cl_mem* buffers, cl_mem_migration_flags,
                           cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = g_driver->enter(Call::migrate);
  if (error != CL_SUCCESS) return error;
  note_given(queue);
  for (cl_uint i = 0; i < count; ++i) {
    if (object<RealBuffer>(buffers[i])->context != object<RealQueue>(queue)->context)
      return g_driver->misuse(CL_INVALID_CONTEXT);
  }
  if (event) *event = handle<cl_event>(new RealEvent);
  return CL_SUCCESS;
}

// Rows of a rectangle between two memories; one that goes beyond its memory is a misuse.
struct Side {
  std::span<std::byte> bytes;
  Rectangle rows;
};
cl_int copy_rows(const Side& from, const Side& to) {
  cl_int error = CL_SUCCESS;
  from.rows.for_each_row([&](uint64_t index, Range row) {
    const uint64_t at = to.rows.row(index);
    if (row.end > from.bytes.size() || at + row.size() > to.bytes.size())
      error = g_driver->misuse(CL_INVALID_VALUE);
    else
      std::memmove(to.bytes.data() + at, from.bytes.data() + row.begin, row.size());
  });
  return error;
}
Side program_side(void* memory, const Rectangle& rows) {
  return {{static_cast<std::byte*>(memory), rows.bounds().end}, rows};
}

cl_int CL_API_CALL write_rows(cl_command_queue queue, cl_mem to, cl_bool, const size_t* origin,
                              const size_t* host_origin, const size_t* region, size_t row, size_t slice,
                              size_t host_row, size_t host_slice, const void* from, cl_uint, const cl_event*,
                              cl_event* event) {
  const Rectangle rows = Rectangle::of(origin, region, row, slice);
  const cl_int error = enter(Call::write, queue, to, rows.offset, 1, event);
  if (error != CL_SUCCESS) return error;
  return copy_rows(program_side(const_cast<void*>(from), Rectangle::of(host_origin, region, host_row, host_slice)),
                   {object<RealBuffer>(to)->bytes, rows});
}

cl_int CL_API_CALL read_rows(cl_command_queue queue, cl_mem from, cl_bool, const size_t* origin,
                             const size_t* host_origin, const size_t* region, size_t row, size_t slice, size_t host_row,
                             size_t host_slice, void* to, cl_uint, const cl_event*, cl_event* event) {
  const Rectangle rows = Rectangle::of(origin, region, row, slice);
  const cl_int error = enter(Call::read, queue, from, rows.offset, 1, event);
  if (error != CL_SUCCESS) return error;
  return copy_rows({object<RealBuffer>(from)->bytes, rows},
                   program_side(to, Rectangle::of(host_origin, region, host_row, host_slice)));
}

cl_int CL_API_CALL copy_buffer_rows(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                                    const size_t* to_origin, const size_t* region, size_t from_row, size_t from_slice,
                                    size_t to_row, size_t to_slice, cl_uint, const cl_event*, cl_event* event) {
  const Rectangle target = Rectangle::of(to_origin, region, to_row, to_slice);
  const cl_int error = enter(Call::copy, queue, to, target.offset, 1, event);
  if (error != CL_SUCCESS) return error;
  return copy_rows({object<RealBuffer>(from)->bytes, Rectangle::of(from_origin, region, from_row, from_slice)},
                   {object<RealBuffer>(to)->bytes, target});
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* size, const size_t*, cl_uint, const cl_event*, cl_event* event) {
  const cl_int error = g_driver->enter(Call::launch);
  if (error != CL_SUCCESS) return error;
  note_given(queue);
  auto& real = *object<RealKernelObject>(kernel);
  KernelCall call{object<RealQueue>(queue)->device, {0, 0, 0}, {1, 1, 1}, {}};
  for (cl_uint d = 0; d < dimensions; ++d) {
    call.offset[d] = offset ? offset[d] : 0;
    call.size[d] = size[d];
  }
  for (auto& argument : real.arguments) {
    cl_mem buffer = nullptr;
    if (argument.size() == sizeof buffer) std::memcpy(&buffer, argument.data(), sizeof buffer);
    if (!g_driver->is_buffer(buffer)) {
      call.arguments.emplace_back(argument);
      continue;
    }
    if (object<RealBuffer>(buffer)->context != object<RealQueue>(queue)->context)
      return g_driver->misuse(CL_INVALID_CONTEXT);
    call.arguments.push_back(object<RealBuffer>(buffer)->bytes);
  }
  real.defined->run(call);
  g_driver->launches_with_event += event != nullptr;
  if (event) {
    auto* const end = new RealEvent;
    end->took_ns += call.size[0] * call.size[1] * call.size[2] * g_driver->ns_per_item(call);
    *event = handle<cl_event>(end);
  }
  return CL_SUCCESS;
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch table = driver::unsupported_table();
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceInfo = device_info;
  table.clCreateContext = create_context;
  table.clRetainContext = retain_context;
  table.clReleaseContext = release_context;
  table.clCreateCommandQueue = create_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clCreateBuffer = create_buffer;
  table.clReleaseMemObject = release_buffer;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build_program;
  table.clRetainProgram = retain_program;
  table.clReleaseProgram = release_program;
  table.clCreateKernel = create_kernel;
  table.clReleaseKernel = release_kernel;
  table.clGetKernelInfo = kernel_info;
  table.clGetKernelWorkGroupInfo = kernel_group_info;
  table.clSetKernelArg = set_argument;
  table.clEnqueueNDRangeKernel = launch;
  table.clEnqueueWriteBufferRect = write_rows;
  table.clEnqueueReadBufferRect = read_rows;
  table.clEnqueueCopyBufferRect = copy_buffer_rows;
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
  table.clEnqueueMigrateMemObjects = migrate;
  return table;
}

}  // namespace

FakeDriver::FakeDriver(unsigned devices, Kind kind, std::vector<std::string> servers)
    : kind_(kind), servers_(std::move(servers)) {
  static const cl_icd_dispatch table = make_table();
  for (unsigned i = 0; i < devices; ++i) devices_.push_back(handle<cl_device_id>(new RealDeviceObject));
  g_driver = this;
  driver::detail::real_table.store(&table);
  // What devices that wait for each other are given (device/timelines.h). What is done at once cannot wait: here the
  // device would for ever.
  const auto word = [](const KernelCall& call) { return reinterpret_cast<cl_ulong*>(call.arguments[0].data()); };
  const auto position = [](const KernelCall& call) {
    cl_ulong value = 0;
    std::memcpy(&value, call.arguments[1].data(), sizeof value);
    return value;
  };
  define_kernel("samcl_tell", 2, [=](const KernelCall& call) { std::atomic_ref(*word(call)).store(position(call)); });
  define_kernel("samcl_wait", 2, [=, this](const KernelCall& call) {
    if (std::atomic_ref(*word(call)).load() < position(call)) misuse(CL_INVALID_OPERATION);
  });
}

// Threads of ours may still hear of ends, of which a test has not been told.
FakeDriver::~FakeDriver() {
  constexpr int kPatienceMs = 10'000;
  for (const std::weak_ptr<Context>& each : contexts_)
    if (const auto context = each.lock())
      for (const auto& device : context->devices) device->completions().drain(kPatienceMs);
  for (cl_device_id device : devices_) delete object<RealDeviceObject>(device);
  g_driver = nullptr;
}

void FakeDriver::resume() {
  suspended_ = false;
  suspended_.notify_all();
}

std::vector<std::unique_ptr<RealDevice>> FakeDriver::make_devices() const {
  std::vector<std::unique_ptr<RealDevice>> made;
  for (unsigned i = 0; i < devices_.size(); ++i) {
    made.push_back(
        std::make_unique<RealDevice>(i, devices_[i], std::vector<cl_context_properties>(), LeaseTarget{}, nullptr));
    made.back()->open();
  }
  return made;
}

std::shared_ptr<Context> FakeDriver::make_context(lease::Client* client, std::vector<unsigned> kinds) {
  cl_int error = CL_SUCCESS;
  std::vector<LeaseTarget> leases;
  for (uint32_t i = 0; i < devices_.size(); ++i) leases.push_back({client, i});
  auto device = Device::make_shared(handle<cl_platform_id>(&g_platform), devices_, std::move(leases), std::move(kinds));
  auto context = Context::create(std::move(device), nullptr, &error);
  contexts_.push_back(context);
  return context;
}

void FakeDriver::define_kernel(const std::string& name, unsigned arguments, KernelFunction run,
                               const std::string& source) {
  kernels_[{source, name}] = {name, arguments, std::move(run)};
}

const FakeDriver::DefinedKernel* FakeDriver::kernel(const std::string& name, const std::string& source) const {
  auto found = kernels_.find({source, name});
  if (found == kernels_.end()) found = kernels_.find({{}, name});
  return found == kernels_.end() ? nullptr : &found->second;
}

unsigned FakeDriver::index_of(cl_device_id device) const {
  return static_cast<unsigned>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
}

void FakeDriver::buffer_lives(cl_mem buffer, uint64_t bytes) {
  used_ += bytes;
  std::lock_guard lock(mutex_);
  buffers_.insert(buffer);
}

void FakeDriver::buffer_dies(cl_mem buffer, uint64_t bytes) {
  used_ -= bytes;
  std::lock_guard lock(mutex_);
  buffers_.erase(buffer);
}

bool FakeDriver::is_buffer(cl_mem handle) const {
  std::lock_guard lock(mutex_);
  return buffers_.contains(handle);
}

int FakeDriver::live_buffers() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(buffers_.size());
}

void FakeDriver::fail(Call call, cl_int error, int times, int others) {
  failures_[static_cast<size_t>(call)].before = others;
  failures_[static_cast<size_t>(call)].error = error;
  failures_[static_cast<size_t>(call)].left = times;
}

std::span<std::byte> FakeDriver::contents(cl_mem buffer) { return object<RealBuffer>(buffer)->bytes; }

cl_int FakeDriver::enter(Call call) {
  ++counts_[static_cast<size_t>(call)];
  Failures& failures = failures_[static_cast<size_t>(call)];
  if (failures.before > 0 && failures.before-- > 0) return CL_SUCCESS;
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
