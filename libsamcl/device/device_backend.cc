#include "libsamcl/device/device_backend.h"

#include <utility>

#include "libsamcl/device/operations.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/context.h"
#include "libsamcl/runtime/trace.h"

namespace samcl {
namespace {

using engine::Lane;
using engine::LaneKind;
using engine::Node;
using engine::NodePtr;

// Bytes that a thread of the program moves itself rather than waking another.
constexpr uint64_t kSmall = 256 << 10;

thread_local DeviceBackend::HelpingThread* helping = nullptr;

SubKernel* kernel_of(const engine::Operation& operation) {
  const auto* run = std::get_if<engine::RunKernel>(&operation);
  return run ? static_cast<SubKernel*>(run->work.get()) : nullptr;
}

}  // namespace

DeviceBackend::HelpingThread::HelpingThread(Role role) : role_(role), outer_(std::exchange(helping, this)) {}

DeviceBackend::HelpingThread::~HelpingThread() {
  helping = outer_;
  if (job_) lane_->run_claimed(job_);
}

bool DeviceBackend::is_driver_queue(Lane lane) const {
  return lane.kind == LaneKind::compute && context_.devices[lane.device]->is_asynchronous();
}

Worker& DeviceBackend::worker(Lane lane) {
  return lane.kind == LaneKind::host ? host_ : context_.devices[lane.device]->worker(lane.kind);
}

// A thread can wait for what a driver's queue has; a driver's queue cannot wait for a thread, nor for another context.
bool DeviceBackend::keeps_behind(const Node& before, const Node& after) const {
  const bool by_driver = is_driver_queue(before.lane);
  if (by_driver && std::holds_alternative<engine::HostCall>(before.operation)) return false;  // on a thread after all
  return before.lane == after.lane || (by_driver && !is_driver_queue(after.lane));
}

cl_int DeviceBackend::issue(const NodePtr& node) {
  return is_driver_queue(node->lane) ? give_to_driver(node) : do_on_thread(node);
}

void DeviceBackend::hurry(const Node& node) {
  if (is_driver_queue(node.lane)) context_.devices[node.lane.device]->completions().hurry();
}

cl_int DeviceBackend::give_to_driver(const NodePtr& node) {
  RealDevice& device = *context_.devices[node->lane.device];
  if (const auto* call = std::get_if<engine::HostCall>(&node->operation); call) {
    // Calls enqueue on the device's queue themselves, and wait.
    device.worker(LaneKind::compute).post([call, context = context_.shared_from_this(), node] {
      const trace::OnBehalfOf this_command(*node, trace::By::driver);
      const cl_ulong began = trace::observes() ? now_ns() : 0;
      cl_int status = CL_OUT_OF_HOST_MEMORY;
      try {
        status = call->call();
      } catch (...) {  // no memory
      }
      if (began > 0) trace::ran(*node, trace::By::driver, began, now_ns(), status);
      context->graph.ended(node, status);
    });
    return CL_SUCCESS;
  }
  cl_event done = nullptr;
  cl_int error = CL_SUCCESS;
  if (SubKernel* const kernel = kernel_of(node->operation)) {
    error = kernel->prepare(device);
    const bool exactly = node->observed || kernel->is_timed() || !node->after_end.empty() || trace::on();
    if (error == CL_SUCCESS && exactly) device.completions().flush();
    if (error == CL_SUCCESS) error = kernel->enqueue(device, kernel->box(), exactly ? &done : nullptr);
  } else {
    error = enqueue(context_, node->lane, node->operation, &done);
  }
  if (error != CL_SUCCESS) return error;
  // A thread that is going to wait for it hears of its end by itself.
  const bool waits_here = helping && helping->role_ == HelpingThread::Role::waiting_program;
  const bool promptly = (node->observed && !waits_here) || !node->after_end.empty() || trace::on();
  device.completions().await(done, node, {context_.shared_from_this(), this}, promptly);
  return error;
}

void DeviceBackend::began(const Node& node, const RunTimes& run) {
  if (SubKernel* const kernel = kernel_of(node.operation)) kernel->began(run);
}

void DeviceBackend::note_run(const CompletedNode& ended) const {
  if (trace::observes()) trace::ran(*ended.node, trace::By::driver, ended.run.began, ended.run.ended, ended.status);
  SubKernel* const kernel = kernel_of(ended.node->operation);
  if (!kernel) return;
  if (ended.node->observed) kernel->began(ended.run);
  if (ended.status == CL_SUCCESS) kernel->ran(*context_.devices[ended.node->lane.device], ended.run);
}

void DeviceBackend::ended(std::span<const CompletedNode> ended) {
  for (const CompletedNode& each : ended) note_run(each);
  context_.graph.ended(ended);
}

void DeviceBackend::ended_by_now(std::vector<Ended>& out) {
  for (const auto& device : context_.devices) device->completions().collect(collected_);
  for (CompletedNode& each : collected_) {
    note_run(each);
    out.push_back({std::move(each.node), each.status});
  }
  collected_.clear();
}

// Events of what drivers' queues still have of these, and perhaps of some that came after them.
std::vector<cl_event> DeviceBackend::ends_of(const std::vector<NodePtr>& nodes) {
  Places devices = 0;
  for (const NodePtr& node : nodes) {
    if (!node->ended && is_driver_queue(node->lane)) devices |= only(node->lane.device);
  }
  std::vector<cl_event> events;
  for (const auto& device : context_.devices) {
    if (!contains(devices, device->index)) continue;
    cl_event event = nullptr;
    const cl_command_queue queue = device->compute_queue();
    if (driver::real().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) == CL_SUCCESS) events.push_back(event);
    driver::real().clFlush(queue);
  }
  return events;
}

cl_int DeviceBackend::do_on_thread(const NodePtr& node) {
  auto job = [this, node, behind = ends_of(node->behind)] {
    const trace::OnBehalfOf this_command(*node);
    // Its own command has not failed where one before it has.
    for (cl_event event : behind) static_cast<void>(CompletionQueue::wait_for(event));
    const cl_ulong began = trace::observes() ? now_ns() : 0;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    try {
      status = execute(*node);
    } catch (...) {  // no memory
    }
    if (began > 0) trace::ran(*node, trace::By::thread, began, now_ns(), status);
    const HelpingThread help(HelpingThread::Role::lane);
    context_.graph.ended(node, status);
  };
  Worker& lane = worker(node->lane);
  if (helps(*node) && lane.claim()) {
    helping->job_ = std::move(job);
    helping->lane_ = &lane;
  } else {
    lane.post(std::move(job));
  }
  return CL_SUCCESS;
}

// Whether this thread may do it in the lane's stead.
bool DeviceBackend::helps(const Node& node) const {
  using Role = HelpingThread::Role;
  if (!helping || helping->job_) return false;
  if (helping->role_ == Role::waiting_program && node.alone) return true;
  if (node.lane.kind == LaneKind::host) return engine::bytes_of(node.operation) < kSmall;
  return helping->role_ == Role::program && node.alone && context_.devices[node.lane.device]->computes_in_caller;
}

cl_int DeviceBackend::execute(const Node& node) {
  if (SubKernel* kernel = kernel_of(node.operation)) {
    return run_to_end(*kernel, *context_.devices[node.lane.device]);
  }
  return samcl::execute(context_, node.lane, node.operation);
}

}  // namespace samcl
