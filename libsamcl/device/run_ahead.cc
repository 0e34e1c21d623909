#include "libsamcl/device/run_ahead.h"

#include <utility>

namespace samcl {

RunAhead::Entry RunAhead::enter(const Waiting& coming, uint64_t ns, uint64_t now_ns, bool by_feeder) {
  std::lock_guard lock(work_->mutex);
  if (!feeding_ && ns > 0 && (!by_feeder || work_->runs_far())) {
    if (work_->add_at_once(queue_, ns, now_ns)) return Entry::now;
  }
  waiting_.push_back(coming);
  count_waiting_ = waiting_.size();
  return std::exchange(feeding_, true) ? Entry::waits : Entry::feed;
}

bool RunAhead::extend(uint64_t ns, uint64_t now_ns) {
  std::lock_guard lock(work_->mutex);
  return !feeding_ && ns > 0 && work_->add_at_once(queue_, ns, now_ns);
}

void RunAhead::take_back(uint64_t ns) {
  std::lock_guard lock(work_->mutex);
  work_->leave(queue_, 1, ns);
}

RunAhead::Waiting RunAhead::next() {
  std::lock_guard lock(work_->mutex);
  work_->leave_line(queue_);  // it may have failed while it stood there
  if (waiting_.empty()) {
    feeding_ = hurries_ = catches_up_ = false;
    return {};
  }
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  feeder_has_one_ = true;  // first: it is counted all the time
  count_waiting_ = waiting_.size();
  return first;
}

bool RunAhead::hand_over() {
  std::lock_guard lock(work_->mutex);
  work_->leave_line(queue_);
  hurries_ = hurries_ && !waiting_.empty();
  catches_up_ = false;
  return feeding_ = !waiting_.empty();
}

// Nothing else of this queue begins while there is a feeder, and the lease is given back only with the last that is in
// flight.
RunAhead::Start RunAhead::start(uint64_t ns, uint64_t (*clock)()) {
  std::unique_lock lock(work_->mutex);
  if (work_->is_idle()) catches_up_ = false;  // it may have to wait for the lease
  const bool begins = work_->add_in_turn(queue_, ns, clock, lock);
  catches_up_ = begins && ns > 0;
  return {begins, hurries_ && waiting_.empty(), work_->changes()};
}

void RunAhead::hurry() {
  std::lock_guard lock(work_->mutex);
  hurries_ = feeding_;
}

void RunAhead::wait_for_change(uint64_t changes) {
  std::unique_lock lock(work_->mutex);
  work_->wait_for_change(changes, lock);
}

bool RunAhead::ended(uint64_t count, uint64_t ns, uint64_t now_ns) {
  if (count == 0) return false;
  std::lock_guard lock(work_->mutex);
  const bool was_beside_others = work_->has_others(queue_);
  work_->ended(queue_, count, ns, now_ns);
  return was_beside_others;
}

bool RunAhead::is_wanted() {
  std::lock_guard lock(work_->mutex);
  return work_->is_wanted();
}

}  // namespace samcl
