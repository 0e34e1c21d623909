#include "libsamcl/device/completion_queue.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

// Of so many without an event of their own the last one gets one: they are told together, while the caches still hold
// them.
constexpr size_t kTogether = 32;
// Where ends are to be heard of soon, the last of those that take that long together: what may be in flight is twice
// that.
constexpr uint64_t kTogetherNs = 400'000;
// There, what comes within that time of what came before comes as one run.
constexpr std::chrono::microseconds kBetween{50};
// What comes to that many without anybody waiting for it is given on another thread, from that many on: to wake one
// takes as long as to give a few.
constexpr uint32_t kLongRun = 64, kNotFirst = 8;
// How often our thread looks for more before it sleeps.
constexpr int kIdleLooks = 4;

std::chrono::nanoseconds ago(uint64_t at) { return std::chrono::nanoseconds(now_ns() - at); }

// The status of a command that has ended, CL_QUEUED and the like of one that has not.
cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  driver::real().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status;
}

// Without releasing it.
cl_int wait_for_status(cl_event event) {
  const cl_int error = driver::real().clWaitForEvents(1, &event);
  if (error != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return error;
  const cl_int status = status_of(event);
  return status < 0 ? status : error;
}

}  // namespace

void ReleasedEvents::add(cl_event event) {
  std::unique_lock lock(mutex_);
  try {
    events_.push_back(event);
  } catch (...) {  // no memory
    driver::real().clReleaseEvent(event);
  }
  const bool many = events_.size() >= kMost;
  lock.unlock();
  if (many) release();
}

void ReleasedEvents::release() {
  std::vector<cl_event> events;
  {
    std::lock_guard lock(mutex_);
    events.swap(events_);
  }
  for (const cl_event each : events) driver::real().clReleaseEvent(each);
}

CompletionQueue::CompletionQueue(const std::atomic<cl_command_queue>& queue, std::mutex& calls, std::string thread_name,
                                 const Device& device, std::function<void()> on_start)
    : queue_(queue), calls_(calls), device_(device), thread_(std::move(thread_name), std::move(on_start)) {}

CompletionQueue::~CompletionQueue() { leave(); }

cl_int CompletionQueue::wait_for(cl_event event, DeviceTimes* times) {
  const cl_int error = wait_for_status(event);
  if (times && error == CL_SUCCESS) static_cast<void>(ask_times(event, *times));
  driver::real().clReleaseEvent(event);
  return error;
}

cl_int CompletionQueue::enqueue_marker(cl_event* event) const {
  std::lock_guard one_at_a_time(calls_);
  return driver::real().clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event);
}

cl_event CompletionQueue::mark_end() const {
  cl_event end = nullptr;
  if (enqueue_marker(&end) != CL_SUCCESS) return nullptr;
  std::lock_guard one_at_a_time(calls_);
  driver::real().clFlush(queue_);
  return end;
}

// Then it may call the driver for the queue without the lock of calls, while all others wait.
bool CompletionQueue::gives_alone_here() const { return !several_give_ && giver_ == std::this_thread::get_id(); }

bool CompletionQueue::wait_for_all() {
  if (gives_alone_here()) return driver::real().clFinish(queue_) == CL_SUCCESS;
  const cl_event end = mark_end();
  return end && wait_for(end) == CL_SUCCESS;
}

// Under the mutex. If it fails, it ends with those that follow.
void CompletionQueue::mark_last() {
  enqueue_marker(&pending_.back().event);
  pending_.back().is_marker = true;
  unmarked_ = unmarked_ns_ = 0;
}

// Under the mutex.
void CompletionQueue::note_giver() {
  if (Worker::is_own_thread() || giver_ == std::this_thread::get_id()) return;
  several_give_ = several_give_ || giver_.load() != std::thread::id();
  giver_ = std::this_thread::get_id();
}

// begins: nothing is in flight. Under the mutex.
void CompletionQueue::count_in_run(bool begins) {
  const uint32_t run = run_.load(std::memory_order_relaxed);
  if (begins) run_before_.store(run, std::memory_order_relaxed);
  run_.store(begins ? 1 : run + 1, std::memory_order_relaxed);
}

bool CompletionQueue::is_in_long_run() const {
  const uint32_t run = run_.load(std::memory_order_relaxed), before = run_before_.load(std::memory_order_relaxed);
  return run >= kNotFirst && std::max(run, before) >= kLongRun;
}

// Until the queue has all that belongs to what is awaited.
void CompletionQueue::wait_for_launches(std::unique_lock<std::mutex>& lock) {
  if (!device_.submissions) return;
  ++closing_;
  while (device_.submissions->has_launches()) {
    lock.unlock();
    device_.submissions->give_launches();
    lock.lock();
  }
  --closing_;
}

void CompletionQueue::failed(const engine::Node& node, cl_int error) {
  std::lock_guard lock(failing_);
  failed_.emplace_back(&node, error);
  any_failed_ = true;
}

// Of what belongs to it.
cl_int CompletionQueue::error_of(const engine::Node& node) {
  if (!any_failed_) return CL_SUCCESS;
  std::lock_guard lock(failing_);
  const auto is_its = [&](const auto& failed) { return failed.first == &node; };
  const auto first = std::ranges::find_if(failed_, is_its);
  const cl_int error = first == failed_.end() ? CL_SUCCESS : first->second;
  std::erase_if(failed_, is_its);
  any_failed_ = !failed_.empty();
  return error;
}

// What ran before is not what runs now, and the time between belongs to neither. Under the mutex.
void CompletionQueue::begin_extension() {
  note_giver();
  ++extensions_;
  count_in_run(finished_ns_ > 0);
  if (finished_ns_ == 0) return;
  begins_idle_ = true;
  RunTimes& run = pending_.back().node.run;
  run.enqueued = std::max(run.enqueued, last_ended_ns_) + now_ns() - finished_ns_;
  finished_ns_ = 0;
}

// It came last. Then an event of its own is left to who is given it, and asked late. Under the mutex.
bool CompletionQueue::may_extend(const engine::Node& node, std::shared_ptr<LateTimes>& own) {
  if (pending_.empty() || closing_ > 0) return false;
  Pending& last = pending_.back();
  if (last.node.node.get() != &node || last.is_marker) return false;
  if (last.seen || last.has_own_end || (!last.event && !node.observed)) return true;
  const std::optional<DeviceClock> clock =
      last.times == Giving::Times::late ? clock_.present() : std::optional<DeviceClock>();
  if (last.times == Giving::Times::at_end) return false;
  if (last.times == Giving::Times::late && !clock) return false;
  own = std::make_shared<LateTimes>(clock, last.node.run.enqueued);
  own->is_told_by(last.event);
  last.seen = own;
  last.has_own_end = true;
  early_.add(own, node);
  if (finished_ns_ > 0) hear_all_of(node, finished_ns_);
  return true;
}

// What came last ends with that event, or without one. Under the mutex.
void CompletionQueue::last_has(cl_event event, std::shared_ptr<LateTimes> seen) {
  Pending& last = pending_.back();
  last.seen = std::move(seen);
  if (std::exchange(last.event, event) == event || (last.event && unmarked_ == 0)) return;
  const auto has_event = [](const Pending& each) { return each.event != nullptr; };
  unmarked_ = static_cast<size_t>(std::find_if(pending_.rbegin(), pending_.rend(), has_event) - pending_.rbegin());
  if (unmarked_ == 0) unmarked_ns_ = 0;
}

// Of what came last. Under the mutex.
void CompletionQueue::count_extension(const Giving& giving) {
  CompletedNode& last = pending_.back().node;
  last.counted_ns += giving.counted_ns;
  ++last.in_flight.commands;
  last.in_flight.ns += giving.counted_ns;
  if (unmarked_ > 0) unmarked_ns_ += giving.counted_ns;
  soon_ = giving.soon;
  if (soon_) last_enqueued_ns_ = now_ns();
}

// It has ended, and with it what belongs to it. Under the mutex.
void CompletionQueue::hear_all_of(const engine::Node& node, uint64_t heard_ns) {
  while (early_.hear_first(node, heard_ns)) continue;
}

void CompletionQueue::hear(const Batch& batch) {
  for (const CompletedNode& each : batch.nodes) hear_all_of(*each.node, batch.heard_ns);
}

bool CompletionQueue::is_last(const engine::Owner* owner, const LateTimes* end) {
  std::lock_guard lock(mutex_);
  if (pending_.empty()) return true;
  const Pending& last = pending_.back();
  return end && last.seen ? last.seen.get() == end : last.node.node->owner.get() == owner;
}

bool CompletionQueue::wait_for(LateTimes& end) {
  if (!end.has_event() && gives_alone_here()) return driver::real().clFinish(queue_) == CL_SUCCESS;
  return give_event(end) && end.wait();
}

bool CompletionQueue::give_event(LateTimes& end) {
  std::lock_guard lock(mutex_);
  if (end.has_event()) return true;
  const cl_event event = mark_end();
  if (event) end.is_told_by(event);
  return event != nullptr;
}

// What was before it in the queue has ended by then, too.
InFlight CompletionQueue::ended_untold(const LateTimes& end, bool at_once) {
  std::lock_guard lock(mutex_);
  const uint64_t heard_ns = now_ns();
  const engine::Node* const node = early_.hear(end, heard_ns);
  if (!node) return {};
  const auto own = std::ranges::find(pending_, node, [](const Pending& each) { return each.node.node.get(); });
  if (own != pending_.end()) {
    uint64_t not_heard = 0;
    taken_heard_ns_.compare_exchange_strong(not_heard, heard_ns);
    for (auto each = pending_.begin(); each != own; ++each)
      if (each->heard_ns == 0) each->heard_ns = heard_ns;
  }
  const bool is_all = !taken_ && pending_.size() == 1 && pending_.front().seen.get() == &end;
  if (!is_all || finished_ns_ > 0) return {};
  finished_ns_ = heard_ns;
  finished_at_once_ = at_once;
  return std::exchange(pending_.front().node.in_flight, {});
}

bool CompletionQueue::finish_untold(const engine::Owner* owner, InFlight& ended, bool is_alone) {
  const auto may_go_on = [&] {
    return came_last(owner) && (!is_alone || pending_.size() == 1) && (!pending_.back().event || pending_.back().seen);
  };
  std::unique_lock lock(mutex_);
  if (!may_go_on()) return false;
  if (finished_ns_ > 0) return true;
  const uint64_t before = extensions_;
  lock.unlock();
  const uint64_t asked = now_ns();
  if (!wait_for_all()) return false;
  lock.lock();
  const auto is_all = [&] { return may_go_on() && extensions_ == before; };  // nobody else is telling of it
  if (!is_all() || !tell_before_last(lock) || !is_all()) return false;
  finished_ns_ = now_ns();
  hear_all_of(*pending_.front().node.node, finished_ns_);
  finished_at_once_ = finished_ns_ - asked < kAtOnceNs;
  ended = std::exchange(pending_.front().node.in_flight, {});
  return true;
}

void CompletionQueue::tell_before(const engine::Owner* owner) {
  std::unique_lock lock(mutex_);
  if (came_last(owner)) tell_before_last(lock);
}

// And nobody has taken any. Under the mutex.
bool CompletionQueue::came_last(const engine::Owner* owner) const {
  return !taken_ && !pending_.empty() && pending_.back().node.node->owner.get() == owner;
}

// All has ended but for the last, perhaps. Opens the lock meanwhile; false: there was no memory to tell all of it.
// While nobody has taken any.
bool CompletionQueue::tell_before_last(std::unique_lock<std::mutex>& lock) {
  if (pending_.size() == 1) return true;
  std::vector<CompletedNode> over;
  const std::shared_ptr<Listener> listener = listener_;
  try {
    over.reserve(pending_.size());
    while (pending_.size() > 1) take_ended(over, 1);
  } catch (...) {  // those before it are told
  }
  const bool is_all = pending_.size() == 1;
  if (is_all) unmarked_ns_ = unmarked_ > 0 ? pending_.back().node.counted_ns : 0;
  taken_ = true;
  lock.unlock();
  listener->ended(over);
  over.clear();
  lock.lock();
  told();
  return is_all;
}

void CompletionQueue::on_completion(cl_event event, engine::NodePtr node, Listener& listener, const Giving& giving) {
  std::lock_guard lock(mutex_);
  soon_ = giving.soon;
  count_in_run(finished_ns_ > 0 || (pending_.empty() && !taken_));
  finished_ns_ = 0;
  note_giver();
  // Of what has no event of its own nobody asks when it was enqueued, but for how long a lease is held.
  if (event || pending_.empty() || soon_) last_enqueued_ns_ = now_ns();
  if (pending_.empty() && !taken_) clock_.set(told_until());
  pending_.push_back({event,
                      false,
                      nullptr,
                      0,
                      giving.promptly,
                      giving.times,
                      {std::move(node), {.enqueued = last_enqueued_ns_}, giving.counted_ns, {1, giving.counted_ns}}});
  if (!listener_) listener_ = listener.keep_alive();
  count_ = pending_.size();
  prompt_ += giving.promptly;
  if (event && giving.times == Giving::Times::at_end) {
    ++timed_;
    pending_.back().counts_as_timed = true;
    look_at_ = std::min(look_at_.load(), pending_.size() + 1);
  }
  unmarked_ = event ? 0 : unmarked_ + 1;
  unmarked_ns_ = event ? 0 : unmarked_ns_ + giving.counted_ns;
  if (soon_ ? unmarked_ns_ >= kTogetherNs : unmarked_ >= kTogether) mark_last();
  if (!watching_) {
    begin_watching();
  } else if (!taken_ && (giving.promptly || (waiting_ > 0 && (!soon_ || unmarked_ == 0)))) {
    changed_.notify_one();
  }
}

// Under the mutex.
void CompletionQueue::begin_watching() {
  watching_ = true;
  try {
    thread_.post([this] { watch(); });
  } catch (...) {  // no memory: who waits tells of it, or the next one that comes begins it
    watching_ = false;
  }
}

void CompletionQueue::flush() {
  std::lock_guard lock(mutex_);
  if (unmarked_ > 0) mark_last();
}

bool CompletionQueue::is_time() const {
  if (taken_) return false;
  return pending_.empty() ? leaves_ : leaves_ || hurries_ || prompt_ > 0 || waiting_ > 0;
}

bool CompletionQueue::is_recent(const Pending& one) const { return ago(one.node.run.enqueued) < silence() / 2; }

// None has an event yet, but who gives them is not at the end: the driver serves him less well while we ask for one.
bool CompletionQueue::is_being_filled() const {
  return soon_ && !leaves_ && !pending_.empty() && unmarked_ == pending_.size() && ago(last_enqueued_ns_) < kBetween;
}

// Up to the first that has an event, or so that so many are left. Under the mutex. Takes all of it or, if there is no
// memory for that, throws.
CompletionQueue::Batch CompletionQueue::take(size_t left) {
  Batch batch;
  const auto last = std::ranges::find_if(pending_, [](const Pending& each) { return each.event != nullptr; });
  batch.nodes.reserve(static_cast<size_t>(last - pending_.begin()) + 1);
  while (pending_.size() > left && !batch.event) {
    Pending& first = pending_.front();
    batch.event = first.event;
    batch.is_marker = first.is_marker;
    batch.seen = std::move(first.seen);
    if (first.heard_ns > 0) batch.heard_ns = first.heard_ns;
    batch.times = first.times;
    batch.nodes.push_back(std::move(first.node));
    prompt_ -= first.promptly;
    timed_ -= first.counts_as_timed;
    pending_.pop_front();
  }
  batch.listener = pending_.empty() ? std::move(listener_) : listener_;
  telling_ = true;
  count_ = pending_.size();
  unmarked_ = std::min(unmarked_, pending_.size());
  batch.finished_ns = finished_ns_.exchange(0);
  batch.finished_at_once = finished_at_once_;
  taken_heard_ns_ = batch.heard_ns;
  if (pending_.empty()) unmarked_ns_ = 0;
  return batch;
}

// What has no event was the last of all when it was taken. Who alone gives the queue more can wait for all of it, which
// takes a driver half as long as a marker's event does; others must not call the driver for the queue meanwhile.
cl_int CompletionQueue::wait_for_end(Batch& batch, bool is_over) const {
  if (batch.finished_ns > 0) return CL_SUCCESS;
  if (!batch.event) {
    if (gives_alone_here()) return driver::real().clFinish(queue_);
    const cl_int error = enqueue_marker(&batch.event);
    batch.is_marker = true;
    if (error != CL_SUCCESS) return error;
  }
  if (is_over && device_.fails_for_good) return CL_SUCCESS;  // a later one has not failed
  const cl_int status = is_over ? status_of(batch.event) : CL_QUEUED;
  return status <= CL_COMPLETE ? status : wait_for_status(batch.event);
}

// To who may ask for them. False: there is no memory.
bool CompletionQueue::leave_times(Batch& batch, const DeviceClock& clock, uint64_t heard_ns) {
  RunTimes& last = batch.nodes.back().run;
  try {
    last.late = std::make_shared<LateTimes>(clock, last.enqueued);
  } catch (...) {
    return false;
  }
  last.late->is_told_by(batch.event);
  last.late->heard(heard_ns);
  return true;
}

// Waits for their end, and notes when they ran: of several only the first is taken to have run, all the time. Under the
// mutex, or as the one who has taken them.
void CompletionQueue::finish(Batch& batch, bool is_over) {
  using Times = Giving::Times;
  const uint64_t asked = now_ns();
  const cl_int status = wait_for_end(batch, is_over);
  const bool is_own = batch.event && !batch.is_marker && !batch.seen && status == CL_SUCCESS;
  std::optional<DeviceClock> clock = clock_.present();
  const bool is_late = is_own && batch.times == Times::late && clock;
  DeviceTimes times;
  if (is_own && !is_late && batch.times != Times::never) static_cast<void>(ask_times(batch.event, times));
  uint64_t now = batch.finished_ns > 0 ? batch.finished_ns : now_ns();
  const bool at_once = batch.finished_ns > 0 ? batch.finished_at_once : is_over || now - asked < kAtOnceNs;
  if (const uint64_t later_ended = taken_heard_ns_) now = std::min(now, later_ended);
  batch.heard_ns = now;
  const bool told = times.ended > 0;
  if (told) {
    clock_.learn(times.ended, now);
    // What somebody has the event of is told by the clock that it was given with.
    if (!clock_.present() || (early_.empty() && clock_.is_wrong())) clock_.set(told_until());
    clock = clock_.present();
  }
  const auto host_time = [&](uint64_t device_time) {
    return std::min(now, device_time + static_cast<uint64_t>(clock->ahead_ns));
  };
  const uint64_t end = told ? host_time(times.ended) : now;
  for (CompletedNode& each : batch.nodes) {
    const bool is_told = told && &each == &batch.nodes.back();
    each.run.began = std::max(each.run.enqueued, is_told ? last_told_ns_ : last_ended_ns_);
    if (is_told) each.run.began = std::max({each.run.began, clock->not_before_ns, host_time(times.began)});
    each.run.ended = std::max(each.run.began, end);
    each.run.ended_before = at_once && !is_told;
    each.run.computed = is_told ? times.took() : 0;
    each.status = status == CL_SUCCESS ? error_of(*each.node) : status;
    last_ended_ns_ = std::max(last_ended_ns_, each.run.ended);
  }
  if (is_own && !is_late && batch.times != Times::never)
    last_told_ns_ = std::max(last_told_ns_, batch.nodes.back().run.ended);
  if (is_late && leave_times(batch, *clock, now)) {
    // The program's event has it.
  } else if (batch.event && (batch.is_marker || !batch.seen)) {
    released_.add(batch.event);
  }
  batch.event = nullptr;
}

void CompletionQueue::wait_and_tell(Batch& batch) {
  for (const CompletedNode& each : batch.nodes) {
    if (!each.node->observed) continue;
    batch.listener->began(*each.node,
                          {.enqueued = each.run.enqueued, .began = std::max(each.run.enqueued, last_ended_ns_)});
  }
  finish(batch);
  {
    std::lock_guard lock(mutex_);
    hear(batch);
  }
  batch.listener->ended(batch.nodes);
  batch.nodes.clear();
}

// So many of the first that have an event of their own have ended, if at least `most` have, or all that there are; else
// 0. The queue is in order: to ask for the last of them is enough. Under the mutex.
size_t CompletionQueue::count_over(size_t most) const {
  size_t count = 0;
  cl_event last = nullptr;
  for (auto each = pending_.begin(); each != pending_.end() && count < most; ++each) {
    if (!each->event) continue;
    ++count;
    last = each->event;
  }
  const cl_int status = last ? status_of(last) : CL_QUEUED;
  return status == CL_COMPLETE || (status < 0 && !device_.fails_for_good) ? count : 0;
}

// Takes the next ones, which have ended, and tells who hears of them. There is room for them. As take().
std::shared_ptr<CompletionQueue::Listener> CompletionQueue::take_ended(std::vector<CompletedNode>& out, size_t left) {
  Batch batch = take(left);
  if (!batch.event && batch.finished_ns == 0) batch.finished_ns = now_ns();
  finish(batch, true);
  hear(batch);
  std::move(batch.nodes.begin(), batch.nodes.end(), std::back_inserter(out));
  return std::move(batch.listener);
}

// Those that have ended by now, and who hears of them; nullptr: none has. Under the mutex, while nobody has taken any.
std::shared_ptr<CompletionQueue::Listener> CompletionQueue::take_over(std::vector<CompletedNode>& out) {
  std::shared_ptr<Listener> listener;
  out.reserve(out.size() + pending_.size());
  for (size_t most = kTogether; most > 0;) {
    const size_t over = count_over(most);
    for (size_t i = 0; i < over; ++i) {
      try {
        listener = take_ended(out);
      } catch (...) {  // no memory: those before it are told
        telling_ = false;
        if (!listener) throw;
        return listener;
      }
    }
    if (over < most) most = over > 0 ? 0 : most / 4;
  }
  telling_ = false;
  return listener;
}

void CompletionQueue::collect(std::vector<CompletedNode>& out) {
  if (count_.load(std::memory_order_relaxed) < look_at_.load(std::memory_order_relaxed) && !has_untold()) return;
  std::lock_guard lock(mutex_);
  if (taken_) return;
  out.reserve(out.size() + pending_.size());
  if (has_untold()) {
    take_ended(out);
    telling_ = false;
  }
  if (pending_.size() < look_at_) return;
  looked_ = true;
  take_over(out);
  look_later();
}

// What kernels take is to be known while more of them come, however few there are: what is expected to take no time
// that is known can be given less quickly.
void CompletionQueue::look_later() {
  const size_t usual = std::max(kLook, pending_.size() + kTogether / 2);
  look_at_ = timed_ > 0 ? std::min(usual, 2 * pending_.size()) : usual;
}

bool CompletionQueue::help(const engine::Owner* owner) {
  std::vector<CompletedNode> over;
  std::shared_ptr<Listener> listener;
  Batch batch;
  {
    std::unique_lock lock(mutex_);
    const auto is_owned = [owner](const Pending& each) {
      const engine::Owner* const its = each.node.node->owner.get();
      return !owner || its == owner || (its && its->turn().is_up_by(owner->turn()));
    };
    const auto has_any = [&] { return !taken_ && std::any_of(pending_.rbegin(), pending_.rend(), is_owned); };
    if (!has_any()) return false;
    wait_for_launches(lock);
    if (!has_any()) return false;
    try {
      listener = take_over(over);
      if (!listener) batch = take();
    } catch (...) {  // no memory: our thread does
      return false;
    }
    taken_ = true;
  }
  if (listener) {
    listener->ended(over);
  } else {
    wait_and_tell(batch);
    listener = std::move(batch.listener);  // our owner lives as long as it does
  }
  std::lock_guard lock(mutex_);
  told();
  return true;
}

// What a thread of the program has taken. Under the mutex.
void CompletionQueue::told() {
  taken_ = telling_ = false;
  look_at_ = kLook;
  if (is_time()) changed_.notify_one();
}

bool CompletionQueue::awaits_any() {
  std::lock_guard lock(mutex_);
  return taken_ || !pending_.empty();
}

void CompletionQueue::hurry() {
  std::lock_guard lock(mutex_);
  if (pending_.empty()) return;
  hurries_ = true;  // perhaps since long, without our thread: it sleeps while others tell of what there is
  if (is_time()) changed_.notify_one();
}

void CompletionQueue::start_hurrying() {
  std::lock_guard lock(mutex_);
  ++waiting_;
  if (is_time()) changed_.notify_one();
}

void CompletionQueue::stop_hurrying() {
  std::lock_guard lock(mutex_);
  --waiting_;
}

// The thread's job: ends when nothing has been awaited for a while, so that launches that follow each other need not
// wake it, or at once if somebody hurries.
void CompletionQueue::watch() {
  int idle_looks = 0;
  uint64_t told_here = 0;  // last_ended_ns_ as this thread left it
  std::unique_lock lock(mutex_);
  uint64_t extensions = extensions_;
  while (true) {
    lock.unlock();
    released_.release();
    lock.lock();
    if (!is_time() && Worker::is_own_thread()) {
      const bool grows = std::exchange(extensions, extensions_) != extensions_;
      if (std::unique_lock idle(calls_, std::defer_lock); !pending_.empty() && !grows && idle.try_lock()) {
        driver::real().clFlush(queue_);  // nothing else may make the driver begin
      }
      const size_t before = pending_.size();
      const auto longest = soon_ && before > 0 ? silence() / 2 : silence();
      const bool in_time = changed_.wait_for(lock, longest, [this] { return is_time(); });
      // It has not ended while more is added to it, and who does that must not have to wait for us, either.
      if (!in_time && extensions != extensions_) continue;
      // What came in the last half of it may yet be told of by a thread of the program, which perhaps tells of others.
      const bool others_tell = taken_ || (last_ended_ns_ != told_here && ago(last_ended_ns_) < silence() / 2);
      if (soon_ && !in_time && !pending_.empty() && (others_tell || is_recent(pending_.front()))) continue;
      idle_looks = before == 0 && pending_.empty() ? idle_looks + 1 : 0;
      // Who launches looks himself, and would have to wait for the driver while it serves two threads.
      if (std::exchange(looked_, false) && !is_time()) continue;
    }
    if (taken_) {
      changed_.wait_for(lock, silence(), [this] { return !taken_; });
      continue;
    }
    if (is_being_filled() && Worker::is_own_thread()) {
      changed_.wait_for(lock, kBetween);
      continue;
    }
    if (pending_.empty()) {
      hurries_ = false;
      if (!leaves_ && Worker::is_own_thread() && idle_looks < kIdleLooks) continue;
      watching_ = leaves_ = false;
      return;
    }
    wait_for_launches(lock);
    if (taken_ || pending_.empty()) continue;
    try {
      if (tell_next(lock).expired()) return;  // this is gone; else its destruction waits for this thread
      lock.lock();
    } catch (...) {  // no memory, and nothing is taken
      changed_.wait_for(lock, kBetween);
    }
    if (!taken_) told_here = last_ended_ns_;
  }
}

// Tells of those that have ended, or waits for the first ones; leaves the lock open. Who was told: perhaps ours was the
// last reference to our owner.
std::weak_ptr<CompletionQueue::Listener> CompletionQueue::tell_next(std::unique_lock<std::mutex>& lock) {
  // Who launches on must not keep us from hearing of what there is.
  if (soon_ && unmarked_ == pending_.size() && !has_untold()) mark_last();
  std::vector<CompletedNode> over;
  Batch batch;
  std::shared_ptr<Listener> listener = take_over(over);
  if (!listener) batch = take();
  taken_ = true;
  lock.unlock();
  if (listener) {
    listener->ended(over);
    over.clear();
  } else {
    wait_and_tell(batch);
    listener = std::move(batch.listener);
  }
  const std::weak_ptr<Listener> told = listener;
  lock.lock();
  taken_ = telling_ = false;
  look_at_ = kLook;
  lock.unlock();
  return told;
}

void CompletionQueue::leave() {
  std::lock_guard lock(mutex_);
  leaves_ = watching_;
  changed_.notify_one();
}

bool CompletionQueue::drain(int milliseconds) {
  leave();
  return thread_.drain(milliseconds);
}

void CompletionQueue::wake_thread() {
  leave();
  begin_thread();
}

}  // namespace samcl
