#include "libsamcl/backend/device_backend.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "libsamcl/backend/operations.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/threads/spin.h"

namespace samcl {
namespace {

using engine::Lane;
using engine::LaneKind;
using engine::Node;
using engine::NodePtr;

// What the host may see of a time beyond what the device took.
constexpr uint64_t kHostsOwnNs = 1'000'000;
// Bytes that a thread of the program moves itself rather than waking another.
constexpr uint64_t kSmall = 256 << 10;
constexpr uint64_t kShortUpload = 512 << 10;
// Between looks at ends that another thread tells of.
constexpr std::chrono::microseconds kOthersTell{50};
// For so long one that the driver refuses waits until no other operation runs.
constexpr std::chrono::seconds kLongestWaitForOthers{1};

thread_local DeviceBackend::HelpingThread* helping = nullptr;

Turn turn_of(const Node& node) { return node.owner ? node.owner->turn() : Turn{}; }

SubKernel* kernel_of(const engine::Operation& operation) {
  const auto* run = std::get_if<engine::RunKernel>(&operation);
  return run ? static_cast<SubKernel*>(run->work.get()) : nullptr;
}

// Whether it may use a replica of that.
bool may_use(const engine::Operation& operation, const Storage& memory) {
  if (const SubKernel* const kernel = kernel_of(operation)) return kernel->uses(memory);
  if (const auto* fill = std::get_if<engine::Fill>(&operation)) return fill->replica.memory.get() == &memory;
  if (const auto* exchange = std::get_if<engine::Exchange>(&operation)) return exchange->memory.get() == &memory;
  if (const auto* copy = std::get_if<engine::WindowCopy>(&operation)) return copy->memory.get() == &memory;
  if (const auto* copy = std::get_if<engine::ProgramCopy>(&operation)) return copy->replica.memory.get() == &memory;
  if (const auto* copy = std::get_if<engine::LocalCopy>(&operation))
    return copy->from.get() == &memory || copy->to.get() == &memory;
  return true;
}

// What its driver's queue has, or is about to get. Without a lock.
void wait_for_all(RealDevice& device) {
  device.submissions().drain(SubmissionQueue::Lock::free);
  device.completions().wait_for_all();
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
  set_.each_strand([&](RealDevice& device) {
    for (const LaneKind lane : {LaneKind::compute, LaneKind::up, LaneKind::down})
      helped |= device.worker(lane).help(awaited);
  });
  return helped;
}

bool DeviceBackend::is_driver_queue(Lane lane) const {
  return lane.kind == LaneKind::compute && set_.at(lane).is_asynchronous();
}

// Likewise, as far as a manager lets it.
bool DeviceBackend::is_granted_queue(Lane lane) const {
  return lane.kind == LaneKind::compute && set_.at(lane).run_ahead();
}

Worker& DeviceBackend::worker(Lane lane) {
  return lane.kind == LaneKind::host ? host_ : set_.at(lane).worker(lane.kind);
}

// A thread can wait for what a driver's queue has; a driver's queue cannot wait for a thread, nor, but where devices
// order themselves, for another context.
bool DeviceBackend::keeps_behind(const Node& before, const Node& after) const {
  const bool by_driver = is_driver_queue(before.lane);
  if (by_driver && needs_thread(before.operation)) return false;
  if (before.lane == after.lane) return true;
  if (before.lane.strand + after.lane.strand > 0) return by_driver && !is_driver_queue(after.lane);
  if (is_granted_queue(before.lane)) return is_granted_queue(after.lane) && order_.keeps_under_lease(before, after);
  return by_driver && (!is_driver_queue(after.lane) || order_.keeps(before, after));
}

// Of one device: whether that has been lost.
void DeviceBackend::note_lost(std::span<const CompletedNode> ended) const {
  const auto failed = std::ranges::find_if(ended, [](const CompletedNode& each) { return each.status != CL_SUCCESS; });
  if (failed == ended.end()) return;
  RealDevice& device = set_.at(failed->node->lane);
  if (!driver::vendor_facts(device.id).fails_for_good) return;
  device.note_lost();
  order_.let_go(device.index);
}

// For a thread that may wait, without the context's lock.
Room DeviceBackend::room(const Node& node, unsigned own_works) {
  if (node.lane.kind == LaneKind::host) return {};
  RealDevice& device = set_.at(node.lane);
  return Room([this, &device, &node, own_works] {
    const bool made = node.lane.kind == LaneKind::compute ? make_room_in_lane(device) : make_room(device);
    return made || set_aside(node, own_works);
  });
}

void DeviceBackend::begin_work() {
  ++works_;
  while (sets_aside_) {
    --works_;
    sets_aside_.wait(true);
    ++works_;
  }
}

// Of what is planned behind that operation. Who begins meanwhile has either counted himself before we look, or sees
// that he has to wait.
bool DeviceBackend::set_aside(const Node& refused, unsigned own_works) {
  CompletionQueue& completions = set_.at(refused.lane).completions();
  const auto until = std::chrono::steady_clock::now() + kLongestWaitForOthers;
  while (true) {
    bool others_work = false;
    const bool made = listener_.set_aside(
        refused.lane.device, [&](const Storage& memory) { return may_use(refused.operation, memory); },
        [&](const std::function<bool()>& set_one_aside) {
          sets_aside_ = true;
          others_work = works_ > own_works;
          const bool is_done = !others_work && set_one_aside();
          sets_aside_ = false;
          sets_aside_.notify_all();
          return is_done;
        });
    if (made || !others_work || std::chrono::steady_clock::now() > until) return made;
    if (!completions.help(nullptr)) std::this_thread::sleep_for(kOthersTell);
  }
}

// Of the compute lane, whose operation this is: only what the driver has is before it.
bool DeviceBackend::make_room_in_lane(RealDevice& device) {
  return make_room(device, [] { return false; });
}

// What the compute lane has not begun, or another thread does for it, ends too.
bool DeviceBackend::make_room(RealDevice& device) {
  device.submissions().drain(SubmissionQueue::Lock::free);
  const bool has_its_job = helping && helping->job_;
  return make_room(device, [&] { return !has_its_job && !device.worker(LaneKind::compute).drain(0); });
}

bool DeviceBackend::make_room(RealDevice& device, const std::function<bool()>& lane_works) {
  while (true) {
    bool uses_some = lane_works(), helped = false;
    const auto each_strand = [&](const auto& call) { set_.devices[device.index]->each_strand(call); };
    each_strand([&](RealDevice& each) { uses_some |= each.completions().awaits_any(); });
    if (listener_.make_room(device.index, false)) return true;
    if (!uses_some || !Worker::may_go_on()) return false;
    each_strand([&](RealDevice& each) { helped = helped || each.completions().help(nullptr); });
    if (!helped) std::this_thread::sleep_for(kOthersTell);
  }
}

cl_int DeviceBackend::issue(const NodePtr& node) {
  if (is_driver_queue(node->lane)) {
    if (needs_thread(node->operation)) return call_on_thread(node);
    const bool is_told = node->is_handed_on && set_.orders_itself();
    Giving how = giving(*node, (node->is_handed_on && !is_told) || !node->after_end.empty(), false);
    how.is_told = is_told;
    how.after = order_.enter(*node);
    return give_or_enter(node, how, submits_on_thread(set_.at(node->lane)));
  }
  return is_granted_queue(node->lane) ? run_ahead(node) : do_on_thread(node);
}

void DeviceBackend::hurry(const Node& node) {
  if (node.lane.kind != LaneKind::compute || node.is_handed_on) return;
  RealDevice& device = set_.at(node.lane);
  if (RunAhead* const ahead = device.run_ahead()) ahead->hurry();
  device.submissions().drain(SubmissionQueue::Lock::held);
  device.completions().hurry();
}

// A driver serves one thread at a time, and takes longer where several call it by turns: one for each device at work
// would win nothing.
bool DeviceBackend::submits_on_thread(RealDevice& device) const {
  bool others_work = false;
  set_.each_strand([&](RealDevice& other) { others_work |= &other != &device && other.completions().pending() > 0; });
  return device.submits_on_thread(others_work);
}

// These enqueue on the device's queue themselves, and wait.
cl_int DeviceBackend::call_on_thread(const NodePtr& node) {
  RealDevice& device = set_.at(node->lane);
  device.worker(LaneKind::compute).post([this, &device, alive = listener_.keep_alive(), node] {
    device.submissions().drain(SubmissionQueue::Lock::free);
    const trace::OnBehalfOf this_command(*node, trace::By::driver);
    const cl_ulong began = trace::observes() ? now_ns() : 0;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    try {
      status = execute(*node);
    } catch (...) {  // no memory
    }
    if (began > 0) trace::ran(*node, trace::By::driver, began, now_ns(), status);
    listener_.ended(node, status);
  });
  return CL_SUCCESS;
}

// is_awaited: something waits for its end. may_wait: who gives it, until the device is idle.
Giving DeviceBackend::giving(const Node& node, bool is_awaited, bool may_wait) const {
  const bool at_once = is_awaited || trace::on() || (node.observed && node.owner->is_watched());
  SubKernel* const kernel = kernel_of(node.operation);
  RealDevice& device = set_.at(node.lane);
  // Else it would wait until the device is idle, and the program, whose call this is, may be what that waits for.
  const bool may_be_timed = !device.waits_until_idle(ComputeQueues::Use::timed);
  if (kernel && !may_wait && !may_be_timed) kernel->need_no_time();
  Giving how{.promptly = at_once, .times = Giving::Times::never};
  if (kernel)
    how.times = kernel->times_wanted();
  else if (may_be_timed && node.observed && node.owner->may_be_asked_when())
    how.times = Giving::Times::at_end;
  const bool is_asked_for = node.has_own_end || (node.observed && (!kernel || kernel->is_asked_for()));
  how.exactly = is_asked_for || at_once || how.times == Giving::Times::at_end;
  if (trace::on()) how.times = Giving::Times::at_end;
  return how;
}

// To the driver on this thread, or behind what waits for the thread that submits. That gets what is refused, too.
cl_int DeviceBackend::give_or_enter(const NodePtr& node, const Giving& how, bool by_thread) {
  RealDevice& device = set_.at(node->lane);
  SubmissionQueue& submissions = device.submissions();
  if (!submissions.is_behind() && !by_thread && order_.may_be_given(how)) {
    const Room idle([&] { return listener_.make_room(device.index, true); });
    const cl_int error = idle.ask([&] { return give_to_driver(node, how); });
    if (!Room::is_refusal(error)) return error == CL_SUCCESS ? error : give_up(*node, how, error);
  }
  submissions.enter({node, how}, *this);
  return CL_SUCCESS;
}

// Who submits may hold the context's lock: another thread tells of a failure.
SubmissionQueue::Submitter::Taken DeviceBackend::submit(const SubmissionQueue::Entry& entry, bool is_final) {
  if (!order_.may_be_given(entry.giving)) return Taken::too_early;
  const cl_int error = give_to_driver(entry.node, entry.giving);
  if (error == CL_SUCCESS) return Taken::yes;
  if (Room::is_refusal(error) && !is_final) return Taken::no_memory;
  give_up(*entry.node, entry.giving, error);
  set_.at(entry.node->lane)
      .worker(LaneKind::compute)
      .post([this, alive = listener_.keep_alive(), node = entry.node, error] { listener_.ended(node, error); });
  return Taken::yes;
}

bool DeviceBackend::make_room(const SubmissionQueue::Entry& entry, SubmissionQueue::Lock context) {
  RealDevice& device = set_.at(entry.node->lane);
  bool made = false;
  try {
    if (context == SubmissionQueue::Lock::held) return listener_.make_room(device.index, true);
    auto alive = listener_.keep_alive();
    made = make_room_in_lane(device) || set_aside(*entry.node, 0);
    // If that is the last reference, the thread that submits, whose job this is, must not be the one to drop it.
    device.worker(LaneKind::compute).post([alive = std::move(alive)] {});
  } catch (...) {  // no memory
  }
  return made;
}

void DeviceBackend::give(const LaunchRing::Launch& launch, uint32_t count) {
  RealDevice& device = set_.at(launch.of->lane);
  const cl_int error = device.launch(launch, count);
  if (error == CL_SUCCESS) return;
  if (launch.end) launch.end->fails();
  device.completions().failed(*launch.of, error);
}

// Behind all that the queue has.
cl_int DeviceBackend::give_to_driver(const NodePtr& node, Giving giving) {
  RealDevice& device = set_.at(node->lane);
  giving.promptly = giving.promptly || (giving.soon && device.run_ahead()->is_wanted());
  cl_event done = nullptr;
  const EventWanted wanted{giving.exactly ? &done : nullptr, giving.times != Giving::Times::never};
  cl_int error = CL_SUCCESS;
  begin_work();
  try {
    SubKernel* const kernel = kernel_of(node->operation);
    if (kernel) error = kernel->prepare(device);
    if (error == CL_SUCCESS && kernel && giving.exactly) device.completions().flush();
    const auto copied = order_.copy(device, node->operation, giving, {&done, wanted.times});
    if (copied) error = *copied;
    if (error == CL_SUCCESS && !copied) error = order_.wait(device, giving);
    if (error == CL_SUCCESS && !copied) {
      const bool behind_wait = !giving.after.empty();
      error = kernel ? kernel->enqueue(device, kernel->box(), {wanted.event, wanted.times, behind_wait})
                     : enqueue(set_, node->lane, node->operation, {&done, wanted.times, behind_wait});
    }
    if (error == CL_SUCCESS) device.completions().on_completion(done, node, *this, giving);
  } catch (...) {
    error = CL_OUT_OF_HOST_MEMORY;
  }
  if (error != CL_SUCCESS) end_work(1);
  if (error == CL_SUCCESS) order_.given(device, *node, giving);
  return error;
}

// It was not given to the driver after all.
cl_int DeviceBackend::give_up(const Node& node, const Giving& giving, cl_int error) {
  if (RunAhead* const ahead = set_.at(node.lane).run_ahead()) ahead->ended(1, giving.counted_ns, now_ns());
  order_.given_up(node);
  return error;
}

// What it counts where a device is shared (device/run_ahead.h); 0: it runs alone. What is traced does, so that its
// times are its own.
uint64_t DeviceBackend::counted_ns(const Node& node) const {
  if (trace::on()) return 0;
  const RealDevice& device = set_.at(node.lane);
  const RunAhead& ahead = *device.run_ahead();
  if (const SubKernel* const kernel = kernel_of(node.operation)) {
    return ahead.counted(kernel->times().expect(kernel->work_items(kernel->box())));
  }
  // What comes down to a program that waits comes faster behind what a thread has waited for.
  const bool may_come_down = !node.awaited || reads_host_memory(node.operation);
  return ahead.counted(may_come_down ? moving_ns(node.operation, device) : local_ns(node.operation));
}

cl_int DeviceBackend::run_ahead(const NodePtr& node) {
  RealDevice& device = set_.at(node->lane);
  RunAhead& ahead = *device.run_ahead();
  const uint64_t ns = counted_ns(*node);
  const bool by_thread = submits_on_thread(device);
  const RunAhead::Waiting coming{node, !node->after_end.empty(), order_.enter(*node), order_.tells(*node)};
  switch (ahead.enter(coming, ns, now_ns(), by_thread)) {
    case RunAhead::Entry::now:
      if (coming.is_told) order_.promise(*node);
      return give_or_enter(node, giving_under_lease(coming, ns, false), by_thread);
    case RunAhead::Entry::feed:
      do_on(device.worker(LaneKind::compute), *node, claims(*node, device.worker(LaneKind::compute)),
            [this, &device, alive = listener_.keep_alive()] { feed(device); });
      break;
    case RunAhead::Entry::waits: break;
  }
  return CL_SUCCESS;
}

// Of what counts so much as in flight.
Giving DeviceBackend::giving_under_lease(const RunAhead::Waiting& coming, uint64_t counted_ns, bool may_wait) const {
  const Node& node = *coming.node;
  RealDevice& device = set_.at(node.lane);
  Giving how = giving(node, coming.is_awaited, may_wait);
  how.counted_ns = counted_ns;
  how.after = coming.after;
  how.is_told = coming.is_told;
  how.soon = !device.run_ahead()->is_far();
  if (SubKernel* const kernel = kernel_of(node.operation)) {
    const bool may_be_timed = may_wait || !device.waits_until_idle(ComputeQueues::Use::timed);
    if (may_be_timed && kernel->times().wants_time(!how.soon)) {
      how.exactly = true;
      how.times = Giving::Times::at_end;
    }
    if (const SubKernel::Slicing* slicing = kernel->slicing()) ++slicing->slices;
  }
  return how;
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
    ahead.has_done_one();
    if (is_over || status != CL_SUCCESS) {
      if (began > 0) trace::ran(*node, trace::By::thread, began, now_ns(), status);
      tell_end(node, status);
      order_.given_up(*node);  // nobody has to wait for it
    }
    if (Worker::is_own_thread() && Worker::may_go_on()) continue;
    if (!ahead.hand_over()) return;
    device.worker(LaneKind::compute).post([this, &device, alive = listener_.keep_alive()] { feed(device); });
    return;
  }
}

// What is submitted on another thread is in flight, and before it.
cl_int DeviceBackend::feed_one(RealDevice& device, RunAhead::Waiting& next, bool& is_over) {
  RunAhead& ahead = *device.run_ahead();
  uint64_t ns = counted_ns(*next.node);
  RunAhead::Start start = ahead.start(ns, now_ns);
  for (; !start.begins; start = ahead.start(ns, now_ns)) {
    if (!device.completions().help(nullptr)) ahead.wait_for_change(start.changes);
    ns = counted_ns(*next.node);  // less may be in flight now than before
  }
  if (ns == 0) {
    for (const Reached& after : next.after) wait_for_all(*set_.devices[after.device]);
    return execute(*next.node);
  }
  device.submissions().drain(SubmissionQueue::Lock::free);
  next.is_awaited |= start.hurries;
  const Giving how = giving_under_lease(next, ns, true);
  is_over = false;
  order_.give_others(how, SubmissionQueue::Lock::free);
  const cl_int error = room(*next.node, 0).ask([&] { return give_to_driver(next.node, how); });
  return error == CL_SUCCESS ? error : give_up(*next.node, how, error);
}

void DeviceBackend::began(const Node& node, const RunTimes& run) {
  if (SubKernel* const kernel = kernel_of(node.operation)) kernel->began(run);
}

void DeviceBackend::note_run(const CompletedNode& ended) const {
  if (trace::observes()) trace::ran(*ended.node, trace::By::driver, ended.run.began, ended.run.ended, ended.status);
  SubKernel* const kernel = kernel_of(ended.node->operation);
  if (!kernel) {
    if (ended.node->observed && ended.run.computed > 0) ended.node->owner->device_ran(ended.run.began, ended.run.ended);
    return;
  }
  if (ended.node->observed) kernel->began(ended.run);
  if (ended.status == CL_SUCCESS) kernel->ran(set_.at(ended.node->lane), ended.run);
}

// Of one device. The lease goes first.
void DeviceBackend::note_ends(std::span<const CompletedNode> ended) const {
  if (ended.empty()) return;
  end_work(static_cast<unsigned>(ended.size()));
  InFlight in_flight;
  uint64_t counted = 0, took = 0;
  bool is_exact = true;
  for (const CompletedNode& each : ended) {
    is_exact &= !each.run.ended_before;
    in_flight.commands += each.in_flight.commands;
    in_flight.ns += each.in_flight.ns;
    counted += each.counted_ns;
    took += each.run.ended - each.run.began;
  }
  RunAhead* const ahead = set_.at(ended[0].node->lane).run_ahead();
  const bool was_beside_others = ahead && ahead->ended(in_flight.commands, in_flight.ns, ended.back().run.ended);
  // Where devices wait for each other, or queues run beside each other, that is in it.
  const bool has_waited = set_.orders_itself() || was_beside_others;
  const bool took_longer = ahead && is_exact && took > 2 * counted + kHostsOwnNs && !has_waited;
  for (const CompletedNode& each : ended) {
    try {
      note_run(each);
      SubKernel* const kernel = kernel_of(each.node->operation);
      if (!ahead || !kernel || each.status != CL_SUCCESS) continue;
      if (each.run.computed > 0) kernel->times().took(kernel->work_items(kernel->box()), each.run.computed);
      if (took_longer) kernel->took_longer();
    } catch (...) {  // no memory to learn from it; it has ended all the same
    }
  }
}

void DeviceBackend::ended(std::span<const CompletedNode> ended) {
  note_lost(ended);
  note_ends(ended);
  listener_.ended(ended);
}

void DeviceBackend::ended_by_now(std::vector<Ended>& out) {
  set_.each_strand([&](RealDevice& device) {
    device.completions().collect(collected_);
    out.reserve(out.size() + collected_.size());  // else they stay collected, and are noted then
    note_ends(collected_);
    note_lost(collected_);
    for (CompletedNode& each : collected_) out.push_back({std::move(each.node), each.status});
    collected_.clear();
  });
}

// Those whose drivers' queues still have one of these.
SmallVector<RealDevice*, 2> DeviceBackend::devices_with(const SmallVector<NodePtr, 2>& nodes) const {
  SmallVector<RealDevice*, 2> found;
  for (const NodePtr& node : nodes) {
    if (node->ended || !is_driver_queue(node->lane)) continue;
    RealDevice* const device = &set_.at(node->lane);
    if (std::ranges::find(found, device) == found.end()) found.push_back(device);
  }
  return found;
}

cl_int DeviceBackend::do_on_thread(const NodePtr& node) {
  Worker& lane = worker(node->lane);
  const bool is_done_here = claims(*node, lane);
  std::vector<cl_event> ends;          // of what is there now
  SmallVector<RealDevice*, 2> all_of;  // also what comes before the job begins
  for (RealDevice* const device : devices_with(node->behind)) {
    const bool has_all = device->submissions().drain(SubmissionQueue::Lock::held);
    if (!has_all || is_done_here) {
      all_of.push_back(device);
    } else if (const cl_event end = device->completions().mark_end()) {
      ends.push_back(end);
    }
  }
  auto job = [this, node, all_of, ends] {
    const trace::OnBehalfOf this_command(*node);
    // Its own command has not failed where one before it has.
    for (const cl_event end : ends) static_cast<void>(CompletionQueue::wait_for(end));
    for (RealDevice* const device : all_of) wait_for_all(*device);
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
    lane.post_together(std::move(job), turn_of(node));
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
  const RealDevice& device = set_.at(node.lane);
  if (device.computes_in_caller) return true;
  // Another thread would be awake when it is done. For more the program need not wait, nor does it where a driver
  // copies (an H200's: 9 us for 512 KiB, 25 for 4 MiB, where this takes 80 and 260).
  return node.lane.kind == LaneKind::up && !device.lease.client && node.behind.empty() &&
         engine::bytes_of(node.operation) < kShortUpload;
}

cl_int DeviceBackend::execute(const Node& node) {
  if (SubKernel* kernel = kernel_of(node.operation)) {
    const Work work(*this);
    return run_to_end(*kernel, set_.at(node.lane), room(node, 1));
  }
  const auto once = [&] {
    const Work work(*this);
    return samcl::execute(set_, node.lane, node.operation);
  };
  // Done again as a whole: what they read nobody has changed.
  return std::holds_alternative<engine::HostCall>(node.operation) ? once() : room(node, 0).ask(once);
}

}  // namespace samcl
