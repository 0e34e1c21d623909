#include "libsamcl/device/submission_queue.h"

#include <utility>

#include "libsamcl/threads/spin.h"

namespace samcl {

void SubmissionQueue::enter(Entry entry, Submitter& submitter) {
  {
    std::lock_guard lock(mutex_);
    submitter_ = &submitter;
    entries_.push_back(std::move(entry));
    unsubmitted_.fetch_add(1, std::memory_order_relaxed);
  }
  if (!running_.exchange(true)) thread_.post([this] { run(); });
  if (unsubmitted_.load(std::memory_order_relaxed) >= kMost) drain();
}

void SubmissionQueue::drain() {
  if (!is_behind()) return;
  std::lock_guard one_at_a_time(submitting_);
  while (submit_next()) {
  }
}

// Under submitting_. False: there was none.
bool SubmissionQueue::submit_next() {
  Entry entry;
  Submitter* submitter = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (entries_.empty()) return false;
    entry = std::move(entries_.front());
    entries_.pop_front();
    submitter = submitter_;
  }
  submitter->submit(entry);
  unsubmitted_.fetch_sub(1, std::memory_order_release);
  return true;
}

// Looks for more for a while before it ends: to wake a thread takes longer than to submit several.
void SubmissionQueue::run() {
  while (Worker::may_go_on()) {
    {
      std::lock_guard one_at_a_time(submitting_);
      if (submit_next()) continue;
    }
    if (spin_until([this] { return is_behind(); })) continue;
    running_ = false;
    if (!is_behind() || running_.exchange(true)) return;
  }
  running_ = false;
}

}  // namespace samcl
