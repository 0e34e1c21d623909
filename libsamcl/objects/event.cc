#include "libsamcl/objects/event.h"

#include <algorithm>

#include "base/atomic_max.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/hurry.h"
#include "libsamcl/objects/queue.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/threads/spin.h"

namespace samcl {

namespace {

std::atomic<uint64_t> held_by_program{0};  // user events that are open, and the like

}  // namespace

Event::Event(std::shared_ptr<Context> event_context, std::shared_ptr<Queue> event_queue, cl_command_type event_type)
    : Owner(event_queue && event_queue->in_order() ? event_queue.get() : nullptr),
      context(std::move(event_context)),
      queue(std::move(event_queue)),
      type(event_type),
      has_times(queue && queue->profiling()) {
  // A user event is submitted from the start (clCreateUserEvent).
  if (type != CL_COMMAND_USER) return;
  times_[0] = now_ns();
  status_ = CL_SUBMITTED;
  ++held_by_program;
}

Event::~Event() {
  if (type == CL_COMMAND_USER) claim_user_status();
  if (counts_for_use() && !asked_) queue->event_use.not_missed();
}

bool Event::claim_user_status() {
  if (user_status_claimed_.exchange(true, std::memory_order_acq_rel)) return false;
  --held_by_program;
  return true;
}

bool Event::any_is_held_by_program() { return held_by_program > 0; }

Event::HeldByProgram::HeldByProgram() { ++held_by_program; }
Event::HeldByProgram::~HeldByProgram() { --held_by_program; }

// Hears of an end on a device, and begins what that was awaited for, or does what no lane has begun yet.
bool Event::help() const {
  using HelpingThread = DeviceBackend::HelpingThread;
  const HelpingThread this_thread(HelpingThread::Role::waiting_program, turn());
  bool helped = false;
  context->each_strand([&](RealDevice& device) { helped |= device.completions().help(this); });
  return helped || context->backend.help_lanes();
}

void Event::follows(const std::shared_ptr<Event>& first, RealDevice& device, std::shared_ptr<LateTimes> own_end) {
  observed = true;
  leader_ = first;
  runs_only_on(device);
  times_[0] = times_[1] = own_end->enqueued_ns();
  planned_ = free_ = true;
  status_ = CL_SUBMITTED;
  has_own_end(device, std::move(own_end));
}

void Event::has_own_end(RealDevice& device, std::shared_ptr<LateTimes> own_end) {
  own_end_on_ = &device;
  late_times_ = std::move(own_end);
  has_own_end_.store(true, std::memory_order_release);
}

// As a launch whose times nobody can ask for.
bool Event::counts_for_use() const {
  return type == CL_COMMAND_NDRANGE_KERNEL && observed && runs_on_.load() && queue && !has_times;
}

bool Event::needs_drivers_event() const { return !queue || has_times || queue->event_use.needs_drivers(); }

void Event::note_asked(Asked how) {
  if (!counts_for_use() || asked_.exchange(true)) return;
  const LateTimes* const own = has_own_end_.load(std::memory_order_acquire) ? late_times_.get() : nullptr;
  if (ended() || (own && own->is_heard())) return;  // perhaps since something behind it was asked for
  RealDevice& device = *runs_on_.load();
  queue->event_use.asked(how == Asked::waits && device.completions().is_last(&leader(), own));
}

// The device has come to its end. All that was before it on the device has ended, too, and leader().free_ says that so
// has what was elsewhere.
void Event::own_end_has_come(bool at_once) {
  RealDevice& device = *own_end_on_;
  device.note_ended(device.completions().ended_untold(*late_times_, at_once));
  set_status(CL_COMPLETE);
}

// If others may follow it, its end is to be asked for where it runs.
void Event::leave_untold() {
  if (observed && queue && !ended() && !has_own_end_.load(std::memory_order_acquire))
    context->graph.leave_untold(*this);
}

// Who waits need not tell of the end: what comes next may be one more of the same operation.
bool Event::wait_for_own_end() {
  leave_untold();
  if (!has_own_end_.load(std::memory_order_acquire)) return false;
  // What is told only when this one has ended would seem to have ended later.
  if (!leader().free_ && own_end_on_->program_asks_times()) return false;
  if (late_times_->has_failed()) return false;  // the operation's end tells why
  const uint64_t asked_ns = now_ns();
  CompletionQueue& completions = own_end_on_->completions();
  if (!late_times_->is_heard() && !completions.wait_for(*late_times_)) return false;
  if (!leader().free_) completions.tell_before(&leader());
  if (!leader().free_) return false;
  own_end_has_come(now_ns() - asked_ns < CompletionQueue::kAtOnceNs);
  return true;
}

cl_int Event::present_status() {
  note_asked(Asked::looks);
  if (ended() || !has_own_end_.load(std::memory_order_acquire) || !leader().free_) return status();
  RealDevice& device = *own_end_on_;
  device.submissions().drain(SubmissionQueue::Lock::free);
  if (late_times_->has_failed()) device.completions().hurry();
  const bool is_heard = late_times_->is_heard();
  if (late_times_->has_failed() || (!is_heard && !device.completions().give_event(*late_times_))) return status();
  const cl_int known = is_heard ? CL_COMPLETE : late_times_->status();
  if (known == CL_COMPLETE) own_end_has_come();
  if (known == CL_RUNNING) set_running();
  return status();
}

cl_int Event::wait() {
  note_asked(Asked::waits);
  context->each_strand([](RealDevice& device) { device.submissions().drain(SubmissionQueue::Lock::free); });
  while (!ended() && !wait_for_own_end() && help()) {
  }
  if (ended()) return status();
  const Hurry hurry(*context);
  spin_until([this] { return ended(); });
  cl_int status = status_.load(std::memory_order_acquire);
  while (status > CL_COMPLETE) {
    status_.wait(status, std::memory_order_acquire);
    status = status_.load(std::memory_order_acquire);
  }
  return status;
}

void Event::wait_until_over() {
  context->each_strand([](RealDevice& device) { device.submissions().drain(SubmissionQueue::Lock::free); });
  while (!is_over() && help()) {
  }
  if (is_over()) return;
  const Hurry hurry(*context);
  spin_until([this] { return is_over(); });
  over_.wait(false, std::memory_order_acquire);
}

void Event::set_over() {
  over_.store(true, std::memory_order_release);
  over_.notify_all();
}

bool Event::wait_untold() {
  leave_untold();
  if (observed && !ended() && !has_own_end_.load(std::memory_order_acquire)) return false;
  context->each_strand([](RealDevice& device) { device.submissions().drain(SubmissionQueue::Lock::free); });
  bool is_last = false;
  context->each_strand([&](RealDevice& device) { is_last = is_last || device.finish_untold(this); });
  if (!is_last || !free_) return false;
  context->graph.let_go(*this);
  return true;
}

cl_int Event::look() {
  note_asked(Asked::looks);
  leave_untold();
  if (!has_own_end_.load(std::memory_order_acquire)) watch();
  return present_status();
}

void Event::watch() {
  if (present_status() <= CL_COMPLETE) return;
  watched_.store(true, std::memory_order_relaxed);
  leader().watched_.store(true, std::memory_order_relaxed);
  context->each_strand([](RealDevice& device) {
    device.submissions().drain(SubmissionQueue::Lock::free);
    device.completions().hurry();
  });
}

bool Event::is_seen() const { return observed || type == CL_COMMAND_USER || trace::observes(); }

void Event::set_queued() {
  if (is_seen()) times_[0] = now_ns();
}

void Event::set_running(cl_ulong at) {
  if (status_.load(std::memory_order_relaxed) != CL_SUBMITTED || began_.load(std::memory_order_relaxed)) return;
  times_[2] = at;
  began_ = true;
  if (free_) tell_running();
}

void Event::set_free() {
  free_ = true;
  if (began_) tell_running();
}

void Event::tell_running() {
  if (status_.load(std::memory_order_relaxed) == CL_SUBMITTED) set_status(CL_RUNNING);
}

void Event::set_running() { set_running(now_ns()); }

void Event::note_given() {
  static std::atomic<uint64_t> last{0};
  given_ = ++last;
}

// One device runs one after the other, and tells when. Where they use different memory, the one that comes later in the
// program's order may have been given to it first.
bool Event::runs_behind(const Event& earlier) const {
  if (!runs_on_.load() || runs_on_ != earlier.runs_on_) return false;
  const uint64_t before = earlier.leader().given_;
  return given_ == 0 || (before > 0 && given_ > before);
}

void Event::note_start(cl_ulong at) {
  cl_ulong known = told_start_.load();
  while ((known == 0 || at < known) && !told_start_.compare_exchange_weak(known, at)) {
  }
}

void Event::note_end(cl_ulong at) { raise(times_[3], at); }

// Never back: one thread may hear that it runs while another hears of its end.
bool Event::advance(cl_int status) {
  cl_int present = status_.load(std::memory_order_relaxed);
  while (status < present) {
    if (status_.compare_exchange_weak(present, status, std::memory_order_release, std::memory_order_relaxed))
      return true;
  }
  return false;
}

// At the end all are; before, those for which there is no memory are called at the end. callbacks_mutex_ is held.
std::vector<Event::PendingCallback> Event::take_due_callbacks(cl_int status) {
  if (status <= CL_COMPLETE) return std::exchange(callbacks_, {});
  const auto is_due = [status](const PendingCallback& callback) { return status <= callback.at; };
  try {
    std::vector<PendingCallback> due;
    std::ranges::copy_if(callbacks_, std::back_inserter(due), is_due);
    std::erase_if(callbacks_, is_due);
    return due;
  } catch (...) {
    return {};
  }
}

void Event::set_status(cl_int status) {
  if (status > CL_COMPLETE && !is_seen()) {  // who waits here waits for the end
    advance(status);
    return;
  }
  std::vector<PendingCallback> due;
  {
    std::lock_guard lock(callbacks_mutex_);
    if (status >= status_.load(std::memory_order_relaxed)) return;
    if (status == CL_SUBMITTED) times_[1] = now_ns();
    if (status <= CL_COMPLETE) {
      if (times_[3] == 0) times_[3] = now_ns();
      if (times_[1] == 0) times_[1] = times_[3].load();
      if (times_[2] == 0) times_[2] = times_[3].load();
      if (late_times_) late_times_->heard(times_[3]);
    }
    advance(status);
    due = take_due_callbacks(status);
  }
  status_.notify_all();
  for (const PendingCallback& callback : due) {
    // Each callback is told the status it waited for, or the error that took its place.
    try {
      context->callbacks.post([self = shared_from_this(), callback, status] {
        callback.function(self->api(), status < 0 ? status : callback.at, callback.user_data);
      });
    } catch (...) {  // no memory: the event has its status all the same
    }
  }
}

cl_ulong Event::followed_until() const { return leader().followed_until_; }

cl_ulong Event::time(cl_profiling_info param) const {
  if (first && param == CL_PROFILING_COMMAND_START && status() <= CL_RUNNING) return first->time(param);
  const bool is_start_or_end = param != CL_PROFILING_COMMAND_QUEUED && param != CL_PROFILING_COMMAND_SUBMIT;
  if (is_start_or_end && ended() && late_times_) {
    const LateTimes::Span ran = late_times_->ask();
    return std::max(param == CL_PROFILING_COMMAND_START ? ran.began : ran.ended, followed_until());
  }
  switch (param) {
    case CL_PROFILING_COMMAND_QUEUED: return times_[0];
    case CL_PROFILING_COMMAND_SUBMIT: return times_[1];
    case CL_PROFILING_COMMAND_START: {
      if (times_[2] == 0) return 0;
      const cl_ulong told = ended() ? told_start_.load() : 0;
      return std::max(told > 0 ? told : times_[2].load(), followed_until());
    }
    default: return times_[3] == 0 ? 0 : std::max(times_[3].load(), followed_until());  // COMPLETE equals END
  }
}

void Event::add_callback(cl_int at, Callback callback, void* user_data) {
  watch();
  cl_int reached;
  {
    std::lock_guard lock(callbacks_mutex_);
    reached = status();
    if (reached > at) {
      callbacks_.push_back({at, callback, user_data});
      return;
    }
  }
  context->callbacks.post([self = shared_from_this(), callback, user_data, at, reached] {
    callback(self->api(), reached < 0 ? reached : at, user_data);
  });
}

}  // namespace samcl
