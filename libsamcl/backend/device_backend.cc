#include "libsamcl/backend/device_backend.h"

#include <utility>

#include "libsamcl/backend/operations.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/threads/spin.h"

namespace samcl {
namespace {

using engine::Lane;
using engine::LaneKind;
using engine::Node;
using engine::NodePtr;

// What a device moves in its own memory, or gets from another's, is taken to move no slower.
constexpr uint64_t kLocalBytesPerNs = 5;
// What the host may see of a time beyond what the device took.
constexpr uint64_t kHostsOwnNs = 1'000'000;
// Bytes that a thread of the program moves itself rather than waking another.
constexpr uint64_t kSmall = 256 << 10;
constexpr uint64_t kMediumUpload = 16 << 20;

thread_local DeviceBackend::HelpingThread* helping = nullptr;

Turn turn_of(const Node& node) { return node.owner ? node.owner->turn() : Turn{}; }

SubKernel* kernel_of(const engine::Operation& operation) {
  const auto* run = std::get_if<engine::RunKernel>(&operation);
  return run ? static_cast<SubKernel*>(run->work.get()) : nullptr;
}

// Whether it needs no link to the host, and is commands of the driver's queue.
bool stays_on_device(const engine::Operation& operation) {
  if (const auto* fill = std::get_if<engine::Fill>(&operation)) return !fill->replica.memory->layout();
  if (const auto* exchange = std::get_if<engine::Exchange>(&operation)) {
    return exchange->from != kHost && exchange->to != kHost;
  }
  return std::holds_alternative<engine::LocalCopy>(operation);
}

}  // namespace

DeviceBackend::HelpingThread::HelpingThread(Role role, const std::optional<Turn>& awaited)
    : role_(role), awaited_(awaited), outer_(std::exchange(helping, this)) {}

// What it does may be what the next operation waited for.
DeviceBackend::HelpingThread::~HelpingThread() {
  while (job_) {
    const std::function<void()> job = std::exchange(job_, nullptr);
    try {
      lane_->run_claimed(job);
    } catch (...) {  // as on the lane's own thread: jobs must not throw
    }
  }
  helping = outer_;
}

bool DeviceBackend::help_lanes() {
  if (!helping || !helping->awaited_) return false;
  const Turn awaited = *helping->awaited_;
  bool helped = host_.help(awaited);
  for (const auto& device : set_.devices) {
    for (const LaneKind lane : {LaneKind::compute, LaneKind::up, LaneKind::down}) {
      helped |= device->worker(lane).help(awaited);
    }
  }
  return helped;
}

bool DeviceBackend::is_driver_queue(Lane lane) const {
  return lane.kind == LaneKind::compute && set_.devices[lane.device]->is_asynchronous();
}

Worker& DeviceBackend::worker(Lane lane) {
  return lane.kind == LaneKind::host ? host_ : set_.devices[lane.device]->worker(lane.kind);
}

// A thread can wait for what a driver's queue has; a driver's queue cannot wait for a thread, nor for another context.
bool DeviceBackend::keeps_behind(const Node& before, const Node& after) const {
  const bool by_driver = is_driver_queue(before.lane);
  if (by_driver && std::holds_alternative<engine::HostCall>(before.operation)) return false;  // on a thread after all
  return before.lane == after.lane || (by_driver && !is_driver_queue(after.lane));
}

Room DeviceBackend::room(const Node& node, bool is_locked) const {
  if (node.lane.kind == LaneKind::host) return {};
  return Room([this, device = node.lane.device, is_locked] { return listener_.make_room(device, is_locked); });
}

cl_int DeviceBackend::issue(const NodePtr& node) {
  if (is_driver_queue(node->lane)) {
    if (std::holds_alternative<engine::HostCall>(node->operation)) return call_on_thread(node);
    return room(*node, true).ask([&] { return give_or_enter(node); });
  }
  const bool is_ahead = node->lane.kind == LaneKind::compute && set_.devices[node->lane.device]->run_ahead();
  return is_ahead ? run_ahead(node) : do_on_thread(node);
}

void DeviceBackend::hurry(const Node& node) {
  if (node.lane.kind != LaneKind::compute || node.is_handed_on) return;
  RealDevice& device = *set_.devices[node.lane.device];
  if (RunAhead* const ahead = device.run_ahead()) ahead->hurry();
  device.submissions().drain();
  device.completions().hurry();
}

// Calls enqueue on the device's queue themselves, and wait.
cl_int DeviceBackend::call_on_thread(const NodePtr& node) {
  RealDevice& device = *set_.devices[node->lane.device];
  device.submissions().drain();
  const auto& call = std::get<engine::HostCall>(node->operation);
  device.worker(LaneKind::compute).post([this, &call, alive = listener_.keep_alive(), node] {
    const trace::OnBehalfOf this_command(*node, trace::By::driver);
    const cl_ulong began = trace::observes() ? now_ns() : 0;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    try {
      status = call.call();
    } catch (...) {  // no memory
    }
    if (began > 0) trace::ran(*node, trace::By::driver, began, now_ns(), status);
    listener_.ended(node, status);
  });
  return CL_SUCCESS;
}

// is_awaited: something waits for its end.
Giving DeviceBackend::giving(const Node& node, bool is_awaited) const {
  const bool at_once = is_awaited || trace::on() || (node.observed && node.owner->is_watched());
  const SubKernel* const kernel = kernel_of(node.operation);
  Giving how{.promptly = at_once, .times = kernel ? kernel->times_wanted() : Giving::Times::never};
  how.exactly = node.observed || at_once || how.times == Giving::Times::at_end;
  if (trace::on() || set_.devices[node.lane.device]->run_ahead()) how.times = Giving::Times::at_end;
  return how;
}

// To the driver on this thread, or behind what waits for the thread that submits.
cl_int DeviceBackend::give_or_enter(const NodePtr& node) {
  RealDevice& device = *set_.devices[node->lane.device];
  SubmissionQueue& submissions = device.submissions();
  const Giving how = giving(*node, node->is_handed_on || !node->after_end.empty());
  if (!submissions.is_behind() && !device.submits_on_thread()) return give_to_driver(node, how);
  submissions.enter({node, how}, *this);
  return CL_SUCCESS;
}

// Who submits may hold the context's lock: another thread tells of a failure.
void DeviceBackend::submit(const SubmissionQueue::Entry& entry) {
  cl_int error = CL_OUT_OF_HOST_MEMORY;
  try {
    const bool is_leased = set_.devices[entry.node->lane.device]->run_ahead();
    error =
        is_leased ? give_under_lease(entry.node, entry.giving, std::nullopt) : give_to_driver(entry.node, entry.giving);
  } catch (...) {  // no memory
  }
  if (error == CL_SUCCESS) return;
  set_.devices[entry.node->lane.device]
      ->worker(LaneKind::compute)
      .post([this, alive = listener_.keep_alive(), node = entry.node, error] { listener_.ended(node, error); });
}

cl_int DeviceBackend::give_to_driver(const NodePtr& node, Giving giving) {
  RealDevice& device = *set_.devices[node->lane.device];
  cl_event done = nullptr;
  cl_int error = CL_SUCCESS;
  if (SubKernel* const kernel = kernel_of(node->operation)) {
    error = kernel->prepare(device);
    if (error == CL_SUCCESS && giving.exactly) device.completions().flush();
    if (error == CL_SUCCESS) error = kernel->enqueue(device, kernel->box(), giving.exactly ? &done : nullptr);
  } else {
    error = enqueue(set_, node->lane, node->operation, &done);
  }
  if (error != CL_SUCCESS) return error;
  device.completions().on_completion(done, node, *this, giving);
  return error;
}

// What it counts where a device is shared (device/run_ahead.h); 0: it runs alone. What is traced does, so that its
// times are its own.
uint64_t DeviceBackend::counted_ns(const Node& node) const {
  if (trace::on()) return 0;
  const RunAhead& ahead = *set_.devices[node.lane.device]->run_ahead();
  if (const SubKernel* const kernel = kernel_of(node.operation)) {
    return ahead.counted(kernel->times().expect(kernel->work_items(kernel->box())));
  }
  return stays_on_device(node.operation) ? ahead.counted(1 + engine::bytes_of(node.operation) / kLocalBytesPerNs) : 0;
}

cl_int DeviceBackend::run_ahead(const NodePtr& node) {
  RealDevice& device = *set_.devices[node->lane.device];
  RunAhead& ahead = *device.run_ahead();
  const uint64_t ns = counted_ns(*node);
  const bool is_awaited = !node->after_end.empty(), by_thread = device.submits_on_thread();
  switch (ahead.enter({node, is_awaited}, ns, now_ns(), by_thread)) {
    case RunAhead::Entry::now: {
      Giving how = giving(*node, is_awaited);
      how.counted_ns = ns;
      how.soon = !ahead.is_far();
      if (!by_thread && !device.submissions().is_behind()) return give_under_lease(node, how, true);
      device.submissions().enter({node, how}, *this);
      break;
    }
    case RunAhead::Entry::feed:
      do_on(device.worker(LaneKind::compute), *node, claims(*node, device.worker(LaneKind::compute)),
            [this, &device, alive = listener_.keep_alive()] { feed(device); });
      break;
    case RunAhead::Entry::waits: break;
  }
  return CL_SUCCESS;
}

// It counts as in flight.
cl_int DeviceBackend::give_under_lease(const NodePtr& node, Giving giving, std::optional<bool> is_locked) {
  RunAhead& ahead = *set_.devices[node->lane.device]->run_ahead();
  if (SubKernel* const kernel = kernel_of(node->operation)) {
    giving.exactly = kernel->times().wants_time() || giving.exactly;
    if (const SubKernel::Slicing* slicing = kernel->slicing()) ++slicing->slices;
  }
  giving.promptly = giving.promptly || (giving.soon && ahead.is_wanted());
  cl_int error = CL_OUT_OF_HOST_MEMORY;
  try {
    const Room room = is_locked ? this->room(*node, *is_locked) : Room();
    error = room.ask([&] { return give_to_driver(node, giving); });
  } catch (...) {  // no memory
  }
  if (error != CL_SUCCESS) ahead.ended(1, giving.counted_ns, now_ns());
  return error;
}

// While the device is busy a program that launches more is not far behind: to wake the feeder takes longer.
RunAhead::Waiting DeviceBackend::next_to_feed(RealDevice& device) {
  RunAhead& ahead = *device.run_ahead();
  if (!ahead.has_waiting() && Worker::is_own_thread() && device.is_busy()) {
    spin_until([&] { return ahead.has_waiting(); });
  }
  return ahead.next();
}

// The feeder: gives the driver's queue what may be in flight together, and does by itself what runs alone. On the
// lane's thread until nothing waits; on another, and at the end of the process, only one operation.
void DeviceBackend::feed(RealDevice& device) {
  RunAhead& ahead = *device.run_ahead();
  for (RunAhead::Waiting next; (next = next_to_feed(device)).node;) {
    const NodePtr& node = next.node;
    const trace::OnBehalfOf this_command(*node);
    const cl_ulong began = trace::observes() ? now_ns() : 0;
    bool is_over = true;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    try {
      status = feed_one(device, next, is_over);
    } catch (...) {  // no memory
    }
    if (is_over || status != CL_SUCCESS) {
      if (began > 0) trace::ran(*node, trace::By::thread, began, now_ns(), status);
      tell_end(node, status);
    }
    if (Worker::is_own_thread() && Worker::may_go_on()) continue;
    if (!ahead.hand_over()) return;
    device.worker(LaneKind::compute).post([this, &device, alive = listener_.keep_alive()] { feed(device); });
    return;
  }
}

// What is submitted on another thread is in flight, and before it.
cl_int DeviceBackend::feed_one(RealDevice& device, const RunAhead::Waiting& next, bool& is_over) {
  RunAhead& ahead = *device.run_ahead();
  uint64_t ns = counted_ns(*next.node);
  RunAhead::Start start = ahead.start(ns, now_ns);
  for (; !start.begins; start = ahead.start(ns, now_ns)) {
    if (!device.completions().help(nullptr)) ahead.wait_for_end(start.ends);
    ns = counted_ns(*next.node);  // less may be in flight now than before
  }
  if (ns == 0) return execute(*next.node);
  device.submissions().drain();
  Giving how = giving(*next.node, next.is_awaited || start.hurries);
  how.counted_ns = ns;
  how.soon = !ahead.is_far();
  is_over = false;
  return give_under_lease(next.node, how, false);
}

void DeviceBackend::began(const Node& node, const RunTimes& run) {
  if (SubKernel* const kernel = kernel_of(node.operation)) kernel->began(run);
}

void DeviceBackend::note_run(const CompletedNode& ended) const {
  if (trace::observes()) trace::ran(*ended.node, trace::By::driver, ended.run.began, ended.run.ended, ended.status);
  SubKernel* const kernel = kernel_of(ended.node->operation);
  if (!kernel) return;
  if (ended.node->observed) kernel->began(ended.run);
  if (ended.status == CL_SUCCESS) kernel->ran(*set_.devices[ended.node->lane.device], ended.run);
}

// Of one device. The lease goes first.
void DeviceBackend::note_ends(std::span<const CompletedNode> ended) const {
  if (ended.empty()) return;
  uint64_t counted = 0, took = 0;
  for (const CompletedNode& each : ended) {
    counted += each.counted_ns;
    took += each.run.ended - each.run.began;
  }
  RunAhead* const ahead = set_.devices[ended[0].node->lane.device]->run_ahead();
  if (ahead) ahead->ended(ended.size(), counted, ended.back().run.ended);
  const bool took_longer = ahead && took > 2 * counted + kHostsOwnNs;
  for (const CompletedNode& each : ended) {
    note_run(each);
    SubKernel* const kernel = kernel_of(each.node->operation);
    if (!ahead || !kernel || each.status != CL_SUCCESS) continue;
    if (each.run.computed > 0) kernel->times().took(kernel->work_items(kernel->box()), each.run.computed);
    if (took_longer) kernel->times().doubt();
  }
}

void DeviceBackend::ended(std::span<const CompletedNode> ended) {
  note_ends(ended);
  listener_.ended(ended);
}

void DeviceBackend::ended_by_now(std::vector<Ended>& out) {
  for (const auto& device : set_.devices) {
    device->completions().collect(collected_);
    note_ends(collected_);
    for (CompletedNode& each : collected_) out.push_back({std::move(each.node), each.status});
    collected_.clear();
  }
}

// Of the devices whose drivers' queues still have one of these.
SmallVector<CompletionQueue*, 2> DeviceBackend::queues_with(const SmallVector<NodePtr, 2>& nodes) const {
  Places devices = 0;
  for (const NodePtr& node : nodes) {
    if (!node->ended && is_driver_queue(node->lane)) devices |= only(node->lane.device);
  }
  SmallVector<CompletionQueue*, 2> queues;
  for (const auto& device : set_.devices) {
    if (!contains(devices, device->index)) continue;
    device->submissions().drain();
    queues.push_back(&device->completions());
  }
  return queues;
}

cl_int DeviceBackend::do_on_thread(const NodePtr& node) {
  Worker& lane = worker(node->lane);
  const bool is_done_here = claims(*node, lane);
  SmallVector<CompletionQueue*, 2> behind = queues_with(node->behind);
  std::vector<cl_event> ends;  // of what is there now
  for (size_t i = 0; i < behind.size() && !is_done_here; ++i) {
    if (const cl_event end = behind[i]->mark_end()) ends.push_back(end);
  }
  auto job = [this, node, is_done_here, behind, ends] {
    const trace::OnBehalfOf this_command(*node);
    // Its own command has not failed where one before it has.
    for (const cl_event end : ends) static_cast<void>(CompletionQueue::wait_for(end));
    for (size_t i = 0; i < behind.size() && is_done_here; ++i) behind[i]->wait_for_all();
    const cl_ulong began = trace::observes() ? now_ns() : 0;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    try {
      status = execute(*node);
    } catch (...) {  // no memory
    }
    if (began > 0) trace::ran(*node, trace::By::thread, began, now_ns(), status);
    tell_end(node, status);
  };
  do_on(lane, *node, is_done_here, std::move(job));
  return CL_SUCCESS;
}

// By who did it in a lane's stead, or for the lane: he goes on with what waited for it.
void DeviceBackend::tell_end(const NodePtr& node, cl_int status) {
  if (helping) return listener_.ended(node, status);
  const HelpingThread this_thread(HelpingThread::Role::lane);
  listener_.ended(node, status);
}

void DeviceBackend::do_on(Worker& lane, const Node& node, bool is_claimed, std::function<void()> job) {
  if (is_claimed) {
    helping->take(lane, std::move(job));
  } else {
    lane.post(std::move(job), turn_of(node));
  }
}

// Whether this thread does it in the lane's stead, whose place it has taken then.
bool DeviceBackend::claims(const Node& node, Worker& lane) const { return helps(node) && lane.claim(); }

// Whether it may.
bool DeviceBackend::helps(const Node& node) const {
  using Role = HelpingThread::Role;
  if (!helping || helping->job_) return false;
  if (helping->role_ == Role::waiting_program && node.alone &&
      (!helping->awaited_ || turn_of(node).is_up_by(*helping->awaited_))) {
    return true;
  }
  if (node.lane.kind == LaneKind::host) return engine::bytes_of(node.operation) < kSmall;
  if (helping->role_ != Role::program || !node.alone) return false;
  const RealDevice& device = *set_.devices[node.lane.device];
  if (device.computes_in_caller) return true;
  // A driver copies what is to go up in the program's call, too. Another thread would be awake when it is done.
  return node.lane.kind == LaneKind::up && !device.lease.client && node.behind.empty() &&
         engine::bytes_of(node.operation) <= kMediumUpload;
}

cl_int DeviceBackend::execute(const Node& node) {
  if (SubKernel* kernel = kernel_of(node.operation)) {
    return run_to_end(*kernel, *set_.devices[node.lane.device], room(node, false));
  }
  if (std::holds_alternative<engine::HostCall>(node.operation)) return samcl::execute(set_, node.lane, node.operation);
  // Done again as a whole: what they read nobody has changed.
  return room(node, false).ask([&] { return samcl::execute(set_, node.lane, node.operation); });
}

}  // namespace samcl
