#include "libsamcl/device/submission_queue.h"

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "libsamcl/threads/spin.h"

namespace samcl {
namespace {

// No thread could be made, perhaps.
constexpr std::chrono::milliseconds kLongestWaitForRoom{20};

}  // namespace

void SubmissionQueue::enter(Entry entry, Submitter& submitter) {
  {
    std::lock_guard lock(mutex_);
    submitter_ = &submitter;
    entries_.push_back(std::move(entry));
    unsubmitted_.fetch_add(1, std::memory_order_relaxed);
  }
  wake_thread();
  if (unsubmitted_.load(std::memory_order_relaxed) < kMost) return;
  std::unique_lock lock(mutex_);
  room_.wait_for(lock, kLongestWaitForRoom, [this] { return unsubmitted_ <= kMost / 2 || refused_; });
  const bool has_room = unsubmitted_ <= kMost / 2;
  lock.unlock();
  if (!has_room) drain(Lock::held);
}

void SubmissionQueue::wake_thread() {
  if (!running_.load() && !running_.exchange(true)) thread_.post([this] { run(); });
}

LaunchRing::Launch& SubmissionQueue::next_launch() {
  while (launches_.is_full()) {
    if (!spin_until([this] { return launches_.is_half_empty(); })) give_launches();
  }
  return launches_.next();
}

void SubmissionQueue::put_launch(Submitter& submitter) {
  submitter_.store(&submitter, std::memory_order_relaxed);
  launches_.put();
  wake_thread();
}

void SubmissionQueue::give_launches() {
  if (std::unique_lock submitting(submitting_, std::defer_lock); lock_to_submit(submitting))
    give_launches_here(nullptr);
}

// Under submitting_. Whether there were any.
bool SubmissionQueue::give_launches_here(const IsEnough& is_enough) {
  bool any = false;
  for (; !launches_.is_empty() && !(is_enough && is_enough()); launches_.given()) {
    any = true;
    const auto [launch, count] = launches_.take();
    submitter_.load(std::memory_order_relaxed)->give(launch, count);
  }
  return any;
}

// False: another thread has submitted all that there was. It takes some us for each, and a thread that sleeps would be
// awake long after that.
bool SubmissionQueue::lock_to_submit(std::unique_lock<std::mutex>& submitting) {
  const auto is_over = [&] { return !is_behind() || submitting.try_lock(); };
  const auto given = [this] { return launches_.given_count() - unsubmitted_.load(std::memory_order_relaxed); };
  for (uint64_t before = given(); !spin_until(is_over); before = given()) {
    if (given() == before) submitting.lock();
    if (submitting.owns_lock()) break;
  }
  return submitting.owns_lock();
}

bool SubmissionQueue::drain(Lock context, const IsEnough& is_enough) {
  if (!is_behind()) return true;
  while (true) {
    const Outcome outcome = submit_all(context, is_enough);
    if (outcome != Outcome::submitted) return outcome == Outcome::nothing_left;
  }
}

// What there is. One by one, who enters and who submits would often wait for each other.
SubmissionQueue::Outcome SubmissionQueue::submit_all(Lock context, const IsEnough& is_enough) {
  std::unique_lock submitting(submitting_, std::defer_lock);
  if (!lock_to_submit(submitting)) return Outcome::nothing_left;
  take_entries();
  bool is_final = false, any = false;
  while (true) {
    any |= give_launches_here(is_enough);
    if (is_enough && is_enough()) return Outcome::nothing_left;
    if (next_ == batch_.size()) return any ? Outcome::submitted : Outcome::nothing_left;
    any = true;
    const auto taken = submitter_.load()->submit(batch_[next_], is_final);
    if (taken == Submitter::Taken::yes) {
      batch_[next_++] = {};
      is_final = refused_ = false;
      note_submitted();
      continue;
    }
    const engine::NodePtr refused = batch_[next_].node;
    const bool may_go = see_to_next(taken, submitting, context);
    if (may_go || next_ == batch_.size() || batch_[next_].node != refused) continue;
    if (context == Lock::held) return Outcome::refused;
    // Asked once more: another thread may have made room since it was refused.
    is_final = taken == Submitter::Taken::no_memory;
  }
}

// Under submitting_.
void SubmissionQueue::take_entries() {
  if (next_ < batch_.size()) return;
  batch_.clear();
  next_ = 0;
  std::lock_guard lock(mutex_);
  batch_.swap(entries_);
}

// So that it may be submitted after all. Others may submit it, and more, meanwhile.
bool SubmissionQueue::see_to_next(Submitter::Taken refusal, std::unique_lock<std::mutex>& submitting, Lock context) {
  const Entry refused = batch_[next_];
  refused_ = true;
  submitting.unlock();
  tell_who_waits();
  Submitter& submitter = *submitter_.load();
  const bool may_go = refusal == Submitter::Taken::too_early ? submitter.give_before(refused, context)
                                                             : submitter.make_room(refused, context);
  submitting.lock();
  return may_go;
}

void SubmissionQueue::note_submitted() {
  if (unsubmitted_.fetch_sub(1, std::memory_order_release) == kMost / 2 + 1) tell_who_waits();
}

void SubmissionQueue::tell_who_waits() {
  {
    const std::lock_guard who_waits_has_looked_or_sleeps(mutex_);
  }
  room_.notify_all();
}

// Whether all that there is may: somebody who wants it given does that himself.
bool SubmissionQueue::may_wait() const {
  const uint64_t until = launches_.held_until_ns();
  return until > 0 && until > now_ns() && unsubmitted_.load(std::memory_order_relaxed) == 0;
}

// Looks for more for a while before it ends: to wake a thread takes longer than to submit several.
void SubmissionQueue::run() {
  while (Worker::may_go_on()) {
    if (may_wait()) {
      spin_until([this] { return !may_wait(); });
      continue;
    }
    if (submit_all(Lock::free, [this] { return may_wait(); }) == Outcome::submitted) continue;
    if (spin_until([this] { return is_behind(); })) continue;
    running_ = false;
    if (!is_behind() || running_.exchange(true)) return;
  }
  running_ = false;
}

}  // namespace samcl
