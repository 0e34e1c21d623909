#include "libsamcl/device/submission_queue.h"

#include <chrono>
#include <utility>

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
  if (!running_.exchange(true)) thread_.post([this] { run(); });
  if (unsubmitted_.load(std::memory_order_relaxed) < kMost) return;
  std::unique_lock lock(mutex_);
  const bool has_room = room_.wait_for(lock, kLongestWaitForRoom, [this] { return unsubmitted_ <= kMost / 2; });
  lock.unlock();
  if (!has_room) drain();
}

void SubmissionQueue::drain() {
  if (!is_behind()) return;
  std::lock_guard one_at_a_time(submitting_);
  while (submit_all()) {
  }
}

// What there is, under submitting_. False: there was nothing. One by one, who enters and who submits would often wait
// for each other.
bool SubmissionQueue::submit_all() {
  Submitter* submitter = nullptr;
  {
    std::lock_guard lock(mutex_);
    batch_.swap(entries_);
    submitter = submitter_;
  }
  for (Entry& entry : batch_) {
    submitter->submit(entry);
    entry = {};
    note_submitted();
  }
  const bool were_any = !batch_.empty();
  batch_.clear();
  return were_any;
}

void SubmissionQueue::note_submitted() {
  if (unsubmitted_.fetch_sub(1, std::memory_order_release) != kMost / 2 + 1) return;
  {
    const std::lock_guard who_waits_has_looked_or_sleeps(mutex_);
  }
  room_.notify_all();
}

// Looks for more for a while before it ends: to wake a thread takes longer than to submit several.
void SubmissionQueue::run() {
  while (Worker::may_go_on()) {
    {
      std::lock_guard one_at_a_time(submitting_);
      if (submit_all()) continue;
    }
    if (spin_until([this] { return is_behind(); })) continue;
    running_ = false;
    if (!is_behind() || running_.exchange(true)) return;
  }
  running_ = false;
}

}  // namespace samcl
