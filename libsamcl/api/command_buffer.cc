// Command buffers. What the program records is recorded in a real command buffer of the first device, too, whose driver
// so finds the mistakes in it and numbers the sync points; what runs are our own commands.
#include "libsamcl/api/command_buffer.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/enqueue_kernel.h"
#include "libsamcl/api/guarded_extension.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/commands/command_buffer.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"

namespace samcl::api {
namespace {

// With 0.9.5 all commands got properties as their third parameter, which only launches had before and the headers that
// samcl is built with know of no others.
using Properties = const cl_ndrange_kernel_command_properties_khr*;
constexpr bool take_properties(cl_version version) { return version >= CL_MAKE_VERSION(0, 9, 5); }

// With 0.9.4 came commands on shared virtual memory.
using SvmMemcpy = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, void*, const void*, size_t, cl_uint,
                                       const cl_sync_point_khr*, cl_sync_point_khr*, cl_mutable_command_khr*);
using SvmMemFill = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, void*, const void*, size_t, size_t,
                                        cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*, cl_mutable_command_khr*);

// The driver's own functions.
struct Functions {
  bool take_properties;
  clCreateCommandBufferKHR_fn create;
  clFinalizeCommandBufferKHR_fn finalize;
  clRetainCommandBufferKHR_fn retain;
  clReleaseCommandBufferKHR_fn release;
  clEnqueueCommandBufferKHR_fn enqueue;
  clCommandBarrierWithWaitListKHR_fn barrier;
  clCommandCopyBufferKHR_fn copy_buffer;
  clCommandCopyBufferRectKHR_fn copy_buffer_rect;
  clCommandCopyBufferToImageKHR_fn copy_buffer_to_image;
  clCommandCopyImageKHR_fn copy_image;
  clCommandCopyImageToBufferKHR_fn copy_image_to_buffer;
  clCommandFillBufferKHR_fn fill_buffer;
  clCommandFillImageKHR_fn fill_image;
  SvmMemcpy svm_memcpy;
  SvmMemFill svm_fill;
  clCommandNDRangeKernelKHR_fn launch;
  clGetCommandBufferInfoKHR_fn info;
};

Functions load(cl_platform_id platform, cl_version version) {
  Functions f{};
  f.take_properties = take_properties(version);
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        driver::real().clGetExtensionFunctionAddressForPlatform(platform, name));
  };
  get(f.create, "clCreateCommandBufferKHR");
  get(f.finalize, "clFinalizeCommandBufferKHR");
  get(f.retain, "clRetainCommandBufferKHR");
  get(f.release, "clReleaseCommandBufferKHR");
  get(f.enqueue, "clEnqueueCommandBufferKHR");
  get(f.barrier, "clCommandBarrierWithWaitListKHR");
  get(f.copy_buffer, "clCommandCopyBufferKHR");
  get(f.copy_buffer_rect, "clCommandCopyBufferRectKHR");
  get(f.copy_buffer_to_image, "clCommandCopyBufferToImageKHR");
  get(f.copy_image, "clCommandCopyImageKHR");
  get(f.copy_image_to_buffer, "clCommandCopyImageToBufferKHR");
  get(f.fill_buffer, "clCommandFillBufferKHR");
  get(f.fill_image, "clCommandFillImageKHR");
  get(f.svm_memcpy, "clCommandSVMMemcpyKHR");
  get(f.svm_fill, "clCommandSVMMemFillKHR");
  get(f.launch, "clCommandNDRangeKernelKHR");
  get(f.info, "clGetCommandBufferInfoKHR");
  return f;
}

// Those of a device's platform. Real command buffers do not tell theirs: it is remembered from their creation.
class AllFunctions {
 public:
  const Functions& of(cl_device_id device) {
    const auto platform = driver::value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
    std::lock_guard lock(mutex_);
    auto [found, is_new] = by_platform_.try_emplace(platform);
    if (is_new) found->second = load(platform, command_buffer_version(device).value_or(0));
    return found->second;
  }
  void note(cl_command_buffer_khr real, const Functions& functions) {
    std::lock_guard lock(mutex_);
    by_buffer_[real] = &functions;
  }
  const Functions* of(cl_command_buffer_khr real) {
    std::lock_guard lock(mutex_);
    const auto found = by_buffer_.find(real);
    return found == by_buffer_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<cl_platform_id, Functions> by_platform_;
  std::map<cl_command_buffer_khr, const Functions*> by_buffer_;
};

AllFunctions& all_functions() {
  static AllFunctions* const all = new AllFunctions;
  return *all;
}

cl_device_id real_device_of(cl_command_queue queue) {
  cl_device_id device = nullptr;
  if (const auto ours = find<Queue>(queue)) return ours->context->devices[0]->id;
  if (queue && !is_virtual(queue))
    driver::real().clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  return device;
}

// A command buffer as a function gets it: ours, or one of the driver's own.
struct Target {
  explicit Target(cl_command_buffer_khr handle) : ours(find<CommandBuffer>(handle)) {
    if (handle && !is_virtual(handle)) real = handle;
    if (ours) real = ours->judge.buffer;
    if (real) functions = all_functions().of(real);
  }
  bool is_known() const { return functions != nullptr; }
  // Command queues may be named in versions of the extension with several; the driver judges that.
  cl_command_queue queue(cl_command_queue given) const {
    return ours && is_virtual(given) ? ours->judge.queue : unwrap(given);
  }
  // Records with the driver.
  template <typename... Parameters, typename... Arguments>
  cl_int command(cl_int(CL_API_CALL* function)(cl_command_buffer_khr, cl_command_queue, Parameters...),
                 cl_command_queue given, Arguments... arguments) const {
    if (!functions->take_properties) return function(real, queue(given), arguments...);
    using Taking = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, Properties, Parameters...);
    // NOLINTNEXTLINE(bugprone-casting-through-void): the headers know only the earlier signature
    return reinterpret_cast<Taking>(reinterpret_cast<void*>(function))(real, queue(given), properties, arguments...);
  }

  std::shared_ptr<CommandBuffer> ours;
  cl_command_buffer_khr real = nullptr;
  const Functions* functions = nullptr;
  Properties properties = nullptr;  // of the command that is recorded
};

struct SyncPoints {
  cl_uint count;
  const cl_sync_point_khr* list;
  cl_sync_point_khr* out;
};

// Has the driver judge a command, `judge(sync_point)`, and records ours.
template <typename Judge>
cl_int record(const Target& target, const SyncPoints& points, Judge judge, CommandBuffer::Enter enter,
              bool is_barrier = false) {
  cl_sync_point_khr its_own = 0;
  const cl_int error = judge(&its_own);
  if (error != CL_SUCCESS) return error;
  if (points.out) *points.out = its_own;
  if (target.ours)
    target.ours->record(std::move(enter), points.list ? points.count : 0, points.list, is_barrier, its_own);
  return CL_SUCCESS;
}

using Size3 = std::array<size_t, 3>;
Size3 copy3(const size_t* values) { return values ? Size3{values[0], values[1], values[2]} : Size3{}; }

// Keeps a memory object as long as it is recorded.
std::shared_ptr<void> keep(cl_mem memory) {
  if (is_virtual(memory)) return find<Buffer>(memory);
  if (!memory || driver::real().clRetainMemObject(memory) != CL_SUCCESS) return nullptr;
  return {memory, [](void* p) { driver::real().clReleaseMemObject(static_cast<cl_mem>(p)); }};
}

cl_command_buffer_khr CL_API_CALL create(cl_uint count, const cl_command_queue* queues,
                                         const cl_command_buffer_properties_khr* properties, cl_int* errcode_ret) {
  const cl_device_id device = count > 0 && queues ? real_device_of(queues[0]) : nullptr;
  if (!device) return failed(errcode_ret, count > 0 && queues ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE);
  const Functions& f = all_functions().of(device);
  if (!f.create) return failed(errcode_ret, CL_INVALID_OPERATION);
  const auto queue = find<Queue>(queues[0]);
  CommandBuffer::Judge judge;
  std::vector<cl_command_queue> real;
  cl_int error = CL_SUCCESS;
  if (queue) {
    const cl_queue_properties own[] = {CL_QUEUE_PROPERTIES, queue->properties(), 0};
    judge.queue =
        driver::real().clCreateCommandQueueWithProperties(queue->context->devices[0]->context(), device, own, &error);
    if (!judge.queue) return failed(errcode_ret, error);
  }
  for (cl_uint i = 0; i < count; ++i) real.push_back(queue && find<Queue>(queues[i]) ? judge.queue : unwrap(queues[i]));
  judge.buffer = f.create(count, real.data(), properties, &error);
  judge.release = f.release;
  if (errcode_ret) *errcode_ret = error;
  if (judge.buffer) all_functions().note(judge.buffer, f);
  if (judge.buffer && queue) return CommandBuffer::hand_out(CommandBuffer::make_shared(queue, judge));
  if (judge.queue) driver::real().clReleaseCommandQueue(judge.queue);
  return judge.buffer;
}

cl_int finalize(const Target& target) { return target.functions->finalize(target.real); }

cl_int retain(const Target& target) {
  if (!target.ours) return target.functions->retain(target.real);
  target.ours->retain();
  return CL_SUCCESS;
}

cl_int release(const Target& target) {
  if (!target.ours) return target.functions->release(target.real);
  target.ours->release();
  return CL_SUCCESS;
}

constexpr cl_command_buffer_info_khr kContextQuery = 0x1299;  // CL_COMMAND_BUFFER_CONTEXT_KHR of later headers

cl_int info(const Target& target, cl_command_buffer_info_khr name, size_t size, void* value, size_t* size_ret) {
  const Answer answer{size, value, size_ret};
  if (target.ours && name == CL_COMMAND_BUFFER_QUEUES_KHR)
    return answer.with<cl_command_queue>(target.ours->queue->api());
  if (target.ours && name == CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR)
    return answer.with<cl_uint>(target.ours->references());
  if (target.ours && name == CL_COMMAND_BUFFER_STATE_KHR && target.ours->is_pending()) {
    return answer.with<cl_command_buffer_state_khr>(CL_COMMAND_BUFFER_STATE_PENDING_KHR);
  }
  const cl_int error = target.functions->info(target.real, name, size, value, size_ret);
  if (target.ours && name == kContextQuery && error == CL_SUCCESS)
    return answer.with<cl_context>(target.ours->queue->context->api());
  return error;
}

cl_int barrier(const Target& target, cl_command_queue queue, cl_uint count, const cl_sync_point_khr* list,
               cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->barrier, queue, count, list, point, change);
      },
      [](const std::shared_ptr<Queue>& to, cl_uint n, const cl_event* waits, cl_event* event) {
        const Waits before = wait_list(*to->context, n, waits);
        return api::enqueue(to, CL_COMMAND_BARRIER, std::make_unique<EmptyCommand>(), before.events, event, false);
      },
      true);
}

cl_int copy_buffer(const Target& target, cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                   size_t to_offset, size_t bytes, cl_uint count, const cl_sync_point_khr* list, cl_sync_point_khr* out,
                   cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->copy_buffer, queue, unwrap(from), unwrap(to), from_offset, to_offset,
                              bytes, count, list, point, change);
      },
      [=, from_kept = keep(from), to_kept = keep(to)](const auto& on, cl_uint n, const cl_event* waits,
                                                      cl_event* event) {
        return api::clEnqueueCopyBuffer(on->api(), from, to, from_offset, to_offset, bytes, n, waits, event);
      });
}

cl_int copy_buffer_rect(const Target& target, cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                        const size_t* to_origin, const size_t* region, size_t from_row_pitch, size_t from_slice_pitch,
                        size_t to_row_pitch, size_t to_slice_pitch, cl_uint count, const cl_sync_point_khr* list,
                        cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->copy_buffer_rect, queue, unwrap(from), unwrap(to), from_origin,
                              to_origin, region, from_row_pitch, from_slice_pitch, to_row_pitch, to_slice_pitch, count,
                              list, point, change);
      },
      [=, from_kept = keep(from), to_kept = keep(to), f = copy3(from_origin), t = copy3(to_origin), r = copy3(region)](
          const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueCopyBufferRect(on->api(), from, to, f.data(), t.data(), r.data(), from_row_pitch,
                                            from_slice_pitch, to_row_pitch, to_slice_pitch, n, waits, event);
      });
}

cl_int copy_buffer_to_image(const Target& target, cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                            const size_t* origin, const size_t* region, cl_uint count, const cl_sync_point_khr* list,
                            cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->copy_buffer_to_image, queue, unwrap(from), unwrap(to), offset, origin,
                              region, count, list, point, change);
      },
      [=, from_kept = keep(from), to_kept = keep(to), o = copy3(origin), r = copy3(region)](
          const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueCopyBufferToImage(on->api(), from, to, offset, o.data(), r.data(), n, waits, event);
      });
}

cl_int copy_image(const Target& target, cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                  const size_t* to_origin, const size_t* region, cl_uint count, const cl_sync_point_khr* list,
                  cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->copy_image, queue, unwrap(from), unwrap(to), from_origin, to_origin,
                              region, count, list, point, change);
      },
      [=, from_kept = keep(from), to_kept = keep(to), f = copy3(from_origin), t = copy3(to_origin), r = copy3(region)](
          const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueCopyImage(on->api(), from, to, f.data(), t.data(), r.data(), n, waits, event);
      });
}

cl_int copy_image_to_buffer(const Target& target, cl_command_queue queue, cl_mem from, cl_mem to, const size_t* origin,
                            const size_t* region, size_t offset, cl_uint count, const cl_sync_point_khr* list,
                            cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->copy_image_to_buffer, queue, unwrap(from), unwrap(to), origin, region,
                              offset, count, list, point, change);
      },
      [=, from_kept = keep(from), to_kept = keep(to), o = copy3(origin), r = copy3(region)](
          const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueCopyImageToBuffer(on->api(), from, to, o.data(), r.data(), offset, n, waits, event);
      });
}

std::vector<std::byte> pattern_of(const void* pattern, size_t size) {
  const auto* first = static_cast<const std::byte*>(pattern);
  return {first, first + (pattern ? std::min<size_t>(size, 128) : 0)};
}

cl_int fill_buffer(const Target& target, cl_command_queue queue, cl_mem buffer, const void* pattern,
                   size_t pattern_size, size_t offset, size_t bytes, cl_uint count, const cl_sync_point_khr* list,
                   cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  std::vector<std::byte> value = pattern_of(pattern, pattern_size);
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->fill_buffer, queue, unwrap(buffer), pattern, pattern_size, offset,
                              bytes, count, list, point, change);
      },
      [=, kept = keep(buffer), value = std::move(value)](const auto& on, cl_uint n, const cl_event* waits,
                                                         cl_event* event) {
        return api::clEnqueueFillBuffer(on->api(), buffer, value.data(), value.size(), offset, bytes, n, waits, event);
      });
}

cl_int fill_image(const Target& target, cl_command_queue queue, cl_mem image, const void* color, const size_t* origin,
                  const size_t* region, cl_uint count, const cl_sync_point_khr* list, cl_sync_point_khr* out,
                  cl_mutable_command_khr* change) {
  cl_image_format format{};
  if (image) api::clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, nullptr);
  std::array<uint32_t, 4> value{};  // four channels of 32 bits, or one of a depth image
  if (color) std::memcpy(value.data(), color, format.image_channel_order == CL_DEPTH ? sizeof value[0] : sizeof value);
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->fill_image, queue, unwrap(image), color, origin, region, count, list,
                              point, change);
      },
      [=, kept = keep(image), o = copy3(origin), r = copy3(region)](const auto& on, cl_uint n, const cl_event* waits,
                                                                    cl_event* event) {
        return api::clEnqueueFillImage(on->api(), image, value.data(), o.data(), r.data(), n, waits, event);
      });
}

cl_int svm_memcpy(const Target& target, cl_command_queue queue, void* to, const void* from, size_t bytes, cl_uint count,
                  const cl_sync_point_khr* list, cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->svm_memcpy, queue, to, from, bytes, count, list, point, change);
      },
      [=](const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueSVMMemcpy(on->api(), CL_FALSE, to, from, bytes, n, waits, event);
      });
}

cl_int svm_fill(const Target& target, cl_command_queue queue, void* to, const void* pattern, size_t pattern_size,
                size_t bytes, cl_uint count, const cl_sync_point_khr* list, cl_sync_point_khr* out,
                cl_mutable_command_khr* change) {
  std::vector<std::byte> value = pattern_of(pattern, pattern_size);
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.command(target.functions->svm_fill, queue, to, pattern, pattern_size, bytes, count, list, point,
                              change);
      },
      [=, value = std::move(value)](const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        return api::clEnqueueSVMMemFill(on->api(), to, value.data(), value.size(), bytes, n, waits, event);
      });
}

cl_int launch(const Target& target, cl_command_queue queue, cl_kernel kernel_handle, cl_uint dimensions,
              const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
              const cl_sync_point_khr* list, cl_sync_point_khr* out, cl_mutable_command_khr* change) {
  const auto copy = [&](const size_t* from) {
    return from ? std::vector<size_t>(from, from + std::min(dimensions, 3u)) : std::vector<size_t>();
  };
  const cl_kernel real_kernel = unwrap(kernel_handle);
  if (!real_kernel) return CL_INVALID_KERNEL;  // drivers look into it
  const auto kernel = find<Kernel>(kernel_handle);
  const auto arguments = kernel ? kernel->arguments() : nullptr;
  // PoCL does not look, and crashes, unless it finds first that the kernel is of another context.
  const bool is_at_home = kernel && target.ours && kernel->program->context == target.ours->queue->context;
  if (is_at_home && std::any_of(arguments->begin(), arguments->end(), [](const Argument& a) { return !a.set; })) {
    return CL_INVALID_KERNEL_ARGS;
  }
  return record(
      target, {count, list, out},
      [&](cl_sync_point_khr* point) {
        return target.functions->launch(target.real, target.queue(queue), target.properties, real_kernel, dimensions,
                                        offset, global, local, count, list, point, change);
      },
      [kernel, arguments, dimensions, o = copy(offset), g = copy(global), l = copy(local)](
          const auto& on, cl_uint n, const cl_event* waits, cl_event* event) {
        const auto list_of = [](const std::vector<size_t>& sizes) { return sizes.empty() ? nullptr : sizes.data(); };
        return enqueue_launch(on, kernel, arguments, dimensions, list_of(o), list_of(g), list_of(l), n, waits, event);
      });
}

// Events of the commands of a run, given back at its end.
class Entered {
 public:
  ~Entered() {
    for (const auto& [handle, event] : all_) event->release();
  }
  void add(cl_event handle) { all_.emplace_back(handle, find<Event>(handle)); }
  cl_event handle(size_t index) const { return all_[index].first; }
  std::vector<std::shared_ptr<Event>> events() const {
    std::vector<std::shared_ptr<Event>> events;
    for (const auto& [handle, event] : all_) events.push_back(event);
    return events;
  }

 private:
  std::vector<std::pair<cl_event, std::shared_ptr<Event>>> all_;
};

// The queue that the program wants it to run in.
cl_int choose_queue(const CommandBuffer& buffer, cl_uint count, cl_command_queue* queues,
                    std::shared_ptr<Queue>& queue) {
  if ((count == 0) != (queues == nullptr) || count > 1) return CL_INVALID_VALUE;
  queue = count == 0 ? buffer.queue : find<Queue>(queues[0]);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (queue->context != buffer.queue->context) return CL_INVALID_CONTEXT;
  return queue->properties() == buffer.queue->properties() ? CL_SUCCESS : CL_INCOMPATIBLE_COMMAND_QUEUE_KHR;
}

// A run before may still be pending. The standard forbids that up to 0.9.7, unless the buffer is made for it, but
// drivers see it by chance (PoCL's basic devices end all in clFlush), and runs in one queue follow each other anyway.
bool may_run(const Target& target) {
  cl_command_buffer_state_khr state = 0;
  return target.functions->info(target.real, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, nullptr) ==
             CL_SUCCESS &&
         state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

cl_int CL_API_CALL run(cl_uint count, cl_command_queue* queues, cl_command_buffer_khr handle, cl_uint wait_count,
                       const cl_event* waits, cl_event* event) {
  const Target target(handle);
  if (!target.is_known()) return CL_INVALID_COMMAND_BUFFER_KHR;
  if (!target.ours) {
    std::vector<cl_command_queue> real;
    for (cl_uint i = 0; queues && i < count; ++i) real.push_back(unwrap(queues[i]));
    return target.functions->enqueue(count, queues ? real.data() : nullptr, target.real, wait_count, waits, event);
  }
  std::shared_ptr<Queue> queue;
  if (const cl_int error = choose_queue(*target.ours, count, queues, queue); error != CL_SUCCESS) return error;
  if (!may_run(target)) return CL_INVALID_OPERATION;
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  Entered entered;
  for (const CommandBuffer::Command& command : target.ours->commands()) {
    std::vector<cl_event> after(waits, waits + wait_count);
    for (size_t index : command.after) after.push_back(entered.handle(index));
    cl_event its_own = nullptr;
    const cl_int error =
        command.enter(queue, static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(), &its_own);
    if (error != CL_SUCCESS) return error;
    entered.add(its_own);
  }
  std::vector<std::shared_ptr<Event>> all = entered.events();
  const std::shared_ptr<Event> first = all.empty() ? nullptr : all.front();
  if (all.empty()) all = std::move(before.events);
  cl_event last = nullptr;
  const cl_int error =
      api::enqueue(queue, CL_COMMAND_COMMAND_BUFFER_KHR, std::make_unique<EmptyCommand>(), all, &last, false);
  if (error != CL_SUCCESS) return error;
  const auto its_event = find<Event>(last);
  its_event->first = first;
  target.ours->add_run(its_event);
  if (event) {
    *event = last;
  } else {
    its_event->release();
  }
  return CL_SUCCESS;
}

// A function of a known command buffer, as the program calls it: with a handle.
template <auto kFunction>
struct OfKnown;
template <typename... Arguments, cl_int (*kFunction)(const Target&, Arguments...)>
struct OfKnown<kFunction> {
  static cl_int CL_API_CALL call(cl_command_buffer_khr handle, Arguments... arguments) {
    const Target target(handle);
    return target.is_known() ? kFunction(target, arguments...) : CL_INVALID_COMMAND_BUFFER_KHR;
  }
};
template <auto kFunction>
constexpr auto of_known = &OfKnown<kFunction>::call;

// One that records a command which takes properties.
template <auto kFunction>
struct Taking;
template <typename... Arguments, cl_int (*kFunction)(const Target&, cl_command_queue, Arguments...)>
struct Taking<kFunction> {
  static cl_int CL_API_CALL call(cl_command_buffer_khr handle, cl_command_queue queue, Properties properties,
                                 Arguments... arguments) {
    Target target(handle);
    target.properties = properties;
    return target.is_known() ? kFunction(target, queue, arguments...) : CL_INVALID_COMMAND_BUFFER_KHR;
  }
};
template <auto kFunction>
constexpr auto taking = &Taking<kFunction>::call;

using ByName = std::map<std::string_view, void*>;

template <auto kFunction>
void add_command(ByName& functions, const char* name, bool with_properties) {
  functions[name] = with_properties ? guarded<taking<kFunction>>(name) : guarded<of_known<kFunction>>(name);
}

ByName all_by_name(bool with_properties) {
  ByName all = {
      {"clCreateCommandBufferKHR", guarded<create>("clCreateCommandBufferKHR")},
      {"clFinalizeCommandBufferKHR", guarded<of_known<finalize>>("clFinalizeCommandBufferKHR")},
      {"clRetainCommandBufferKHR", guarded<of_known<retain>>("clRetainCommandBufferKHR")},
      {"clReleaseCommandBufferKHR", guarded<of_known<release>>("clReleaseCommandBufferKHR")},
      {"clEnqueueCommandBufferKHR", guarded<run>("clEnqueueCommandBufferKHR")},
      {"clCommandNDRangeKernelKHR", guarded<taking<launch>>("clCommandNDRangeKernelKHR")},
      {"clGetCommandBufferInfoKHR", guarded<of_known<info>>("clGetCommandBufferInfoKHR")},
  };
  add_command<barrier>(all, "clCommandBarrierWithWaitListKHR", with_properties);
  add_command<copy_buffer>(all, "clCommandCopyBufferKHR", with_properties);
  add_command<copy_buffer_rect>(all, "clCommandCopyBufferRectKHR", with_properties);
  add_command<copy_buffer_to_image>(all, "clCommandCopyBufferToImageKHR", with_properties);
  add_command<copy_image>(all, "clCommandCopyImageKHR", with_properties);
  add_command<copy_image_to_buffer>(all, "clCommandCopyImageToBufferKHR", with_properties);
  add_command<fill_buffer>(all, "clCommandFillBufferKHR", with_properties);
  add_command<fill_image>(all, "clCommandFillImageKHR", with_properties);
  add_command<svm_memcpy>(all, "clCommandSVMMemcpyKHR", with_properties);
  add_command<svm_fill>(all, "clCommandSVMMemFillKHR", with_properties);
  return all;
}

}  // namespace

void* command_buffer_function(std::string_view name, cl_version version) {
  static const ByName without = all_by_name(false), with = all_by_name(true);
  const ByName& functions = take_properties(version) ? with : without;
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

std::optional<cl_version> command_buffer_version(cl_device_id real) {
  size_t bytes = 0;
  const auto& cl = driver::real();
  if (cl.clGetDeviceInfo(real, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  if (cl.clGetDeviceInfo(real, CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, all.data(), nullptr) != CL_SUCCESS) return {};
  const auto found = std::find_if(all.begin(), all.end(), [](const cl_name_version& named) {
    return std::string_view(named.name) == CL_KHR_COMMAND_BUFFER_EXTENSION_NAME;
  });
  // With 0.9.7 and 0.9.8 other queues became compatible, and a buffer that runs is no longer pending.
  if (found == all.end() || found->version > CL_MAKE_VERSION(0, 9, 6)) return {};
  return found->version;
}

}  // namespace samcl::api
