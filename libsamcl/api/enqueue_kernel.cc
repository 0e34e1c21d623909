// Launching kernels. What is surely right takes its place in the queue; what we would refuse the driver judges.
#include "libsamcl/api/enqueue_kernel.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/first_device.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/commands/launch.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/svm.h"
#include "libsamcl/threads/spin.h"

namespace samcl::api {
namespace {

// The sizes as the program gave them.
struct Sizes {
  Sizes(cl_uint given_dimensions, const size_t* given_offset, const size_t* given_global, const size_t* given_local)
      : dimensions(given_dimensions), has_offset(given_offset), has_global(given_global), has_local(given_local) {
    const auto copy = [&](const size_t* from, Kernel::LocalSize& to) {
      if (from) std::copy_n(from, dimensions, to.begin());
    };
    copy(given_offset, offset);
    copy(given_global, global);
    copy(given_local, local);
  }
  bool is_empty() const {
    return !has_global ||
           std::any_of(global.begin(), global.begin() + dimensions, [](size_t size) { return size == 0; });
  }
  Ndrange ndrange() const {
    Ndrange ndrange;
    ndrange.dimensions = dimensions;
    for (unsigned d = 0; d < dimensions; ++d) {
      ndrange.global[d] = global[d];
      ndrange.offset[d] = offset[d];
      ndrange.local[d] = has_local ? local[d] : 1;
    }
    return ndrange;
  }

  cl_uint dimensions;  // 1 to 3
  bool has_offset, has_global, has_local;
  Kernel::LocalSize offset{}, global{}, local{};
};

// Why a driver might refuse a launch.
enum class Doubt {
  none,
  local_size,  // beyond the limits that it tells, which are not always those it keeps; once taken, right for good
  sizes,       // the sizes for themselves, or with each other
};

Doubt doubt_of(const LaunchLimits& limits, const Sizes& sizes) {
  if (sizes.is_empty()) return Doubt::sizes;
  size_t all = 1, group = 1;
  Doubt doubt = Doubt::none;
  for (unsigned d = 0; d < sizes.dimensions; ++d) {
    size_t end;
    if (__builtin_add_overflow(sizes.offset[d], sizes.global[d], &end)) return Doubt::sizes;
    if (__builtin_mul_overflow(all, sizes.global[d], &all)) return Doubt::sizes;
    if (!sizes.has_local) continue;
    if (sizes.local[d] == 0 || __builtin_mul_overflow(group, sizes.local[d], &group)) return Doubt::sizes;
    if (limits.required[0] != 0 && sizes.local[d] != limits.required[d]) return Doubt::sizes;
    const bool divides = sizes.global[d] % sizes.local[d] == 0;
    if (!divides && (limits.required[0] != 0 || !limits.partial_groups)) return Doubt::sizes;
    if (sizes.local[d] > limits.item_sizes[d]) doubt = Doubt::local_size;
  }
  if (group > limits.group_size || (!sizes.has_local && limits.required[0] != 0)) doubt = Doubt::local_size;
  return doubt;
}

// The program's own launch, on the first device: the driver's word on it counts.
cl_int launch_as_given(const std::shared_ptr<Queue>& queue, const LaunchRequest& request, const Sizes& sizes,
                       Doubt doubt, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  std::vector<std::shared_ptr<Buffer>> used = request.reachable;
  for (const Argument& argument : *request.arguments) used.push_back(argument.buffer);
  std::vector<BufferPart> parts;
  for (const std::shared_ptr<Buffer>& buffer : used) {
    if (!buffer || sizes.is_empty()) continue;
    const std::vector<BufferPart> all = all_of(buffer, true);
    parts.insert(parts.end(), all.begin(), all.end());
  }
  return enqueue_as_given(
      queue, CL_COMMAND_NDRANGE_KERNEL, wait_count, waits, event, false, std::move(parts),
      [kernel = request.kernel, arguments = request.arguments, sizes, doubt](cl_command_queue real, cl_event* done) {
        const RealDevice& device = *kernel->program->context->devices[0];
        cl_int error = kernel->own(0).prepare(kernel->program->original, kernel->name, device, *arguments);
        if (error != CL_SUCCESS) return error;
        error = driver::real().clEnqueueNDRangeKernel(real, kernel->own(0).get(), sizes.dimensions,
                                                      sizes.has_offset ? sizes.offset.data() : nullptr,
                                                      sizes.has_global ? sizes.global.data() : nullptr,
                                                      sizes.has_local ? sizes.local.data() : nullptr, 0, nullptr, done);
        if (error == CL_SUCCESS && doubt == Doubt::local_size) kernel->note_taken(sizes.local);
        return error;
      });
}

// What nobody knows the time of runs alone under a manager, and as what can be cut: so would all launches that come
// before the first one has ended, and those that come before nothing waits any more go a longer way. The program waits
// for that, if it is not long. Not a task, whose model has no such wait.
void await_first(Kernel& kernel, const Context& context) {
  using First = Kernel::First;
  constexpr uint64_t kLongestNs = 1'000'000;
  constexpr std::chrono::microseconds kBetweenLooks{20};
  if (!context.is_managed() || kernel.first.load(std::memory_order_relaxed) == First::awaited) return;
  if (First to_come = First::to_come; kernel.first.compare_exchange_strong(to_come, First::launched)) return;
  if (kernel.first.exchange(First::awaited) == First::awaited) return;
  RealDevice& device = *context.devices[kernel.build->fallback_device];
  if (Worker::is_own_thread() || device.is_of_task()) return;
  const RunAhead* const ahead = device.run_ahead();
  const auto has_ended = [&] {
    return kernel.in_one_piece_ns(device.index, 1) > 0 && (!ahead || ahead->entries() == 0);
  };
  const uint64_t until = now_ns() + kLongestNs;
  while (!spin_until(has_ended) && now_ns() < until) std::this_thread::sleep_for(kBetweenLooks);
}

// Launches with real handles (one device, no manager) are only counted, and only if somebody will read it.
void count_direct(cl_kernel kernel) {
  if (!report::wanted()) return;
  char name[256] = "";
  driver::real().clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  KernelRecord& record = report::kernel(name);
  if (record.launches++ == 0) record.set_reason("there is one device");
  record.devices = 1;
}

}  // namespace

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue_handle, cl_kernel kernel_handle, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue_handle)) {
    if (queue_handle && kernel_handle) count_direct(kernel_handle);
    return driver::real().clEnqueueNDRangeKernel(queue_handle, unwrap(kernel_handle), dimensions, offset, global, local,
                                                 wait_count, waits, event);
  }
  auto queue = find<Queue>(queue_handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto kernel = find<Kernel>(kernel_handle);
  if (!kernel) return CL_INVALID_KERNEL;
  if (kernel->program->context != queue->context) return CL_INVALID_CONTEXT;
  return enqueue_launch(queue, kernel, kernel->lent_arguments(), dimensions, offset, global, local, wait_count, waits,
                        event);
}

cl_int enqueue_launch(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Kernel>& kernel,
                      std::shared_ptr<const Arguments> arguments, cl_uint dimensions, const size_t* offset,
                      const size_t* global, const size_t* local, cl_uint wait_count, const cl_event* waits,
                      cl_event* event) {
  LaunchRequest request{kernel, std::move(arguments), {}, local != nullptr, {}};
  if (kernel->follows_addresses()) request.reachable = svm::all(*queue->context);
  for (const Argument& argument : *request.arguments) {
    if (!argument.set) return CL_INVALID_KERNEL_ARGS;
  }
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  const Sizes sizes(dimensions, offset, global, local);
  const Doubt doubt = doubt_of(kernel->limits(), sizes);
  if (doubt == Doubt::sizes || (doubt == Doubt::local_size && !kernel->was_taken(sizes.local))) {
    kernel->keep_arguments();
    return launch_as_given(queue, request, sizes, doubt, wait_count, waits, event);
  }
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  request.ndrange = sizes.ndrange();
  std::shared_ptr<Event> seen;
  join_task(*queue->context);
  await_first(*kernel, *queue->context);
  if (queue->context->graph.follow(queue, request, before.events, event ? &seen : nullptr)) {
    if (event) *event = Event::hand_out(std::move(seen));
    return CL_SUCCESS;
  }
  kernel->keep_arguments();
  auto command = make_recycled<KernelLaunch>(std::move(request), *queue->context);
  return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, std::move(command), before.events, event, false);
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count, const cl_event* waits,
                                 cl_event* event) {
  if (!is_virtual(queue)) return driver::real().clEnqueueTask(queue, unwrap(kernel), wait_count, waits, event);
  const size_t one = 1;
  return samcl::api::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, wait_count, waits, event);
}

}  // namespace samcl::api
