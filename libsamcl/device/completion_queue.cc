#include "libsamcl/device/completion_queue.h"

#include <algorithm>
#include <utility>

#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/event.h"

namespace samcl {
namespace {

// Of so many without an event of their own the last one gets one: they are told together, while the caches still hold them.
constexpr size_t kTogether = 32;
// How often our thread looks for more before it sleeps.
constexpr int kIdleLooks = 4;

}  // namespace

CompletionQueue::CompletionQueue(cl_command_queue queue, std::string thread_name) : queue_(queue), thread_(std::move(thread_name)) {}

CompletionQueue::~CompletionQueue() { leave(); }

cl_int CompletionQueue::wait_for(cl_event event, uint64_t* computed) {
  const auto& cl = driver::real();
  cl_int error = cl.clWaitForEvents(1, &event);
  cl_ulong began = 0, ended = 0;
  if (computed && error == CL_SUCCESS &&
      cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, nullptr) == CL_SUCCESS &&
      cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr) == CL_SUCCESS) {
    *computed = ended > began ? ended - began : 0;
  }
  if (error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    cl_int status = error;
    cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    error = status < 0 ? status : error;
  }
  cl.clReleaseEvent(event);
  return error;
}

// Under the mutex. If it fails, it ends with those that follow.
void CompletionQueue::mark_last() {
  driver::real().clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &awaited_.back().event);
  unmarked_ = 0;
}

void CompletionQueue::await(cl_event event, engine::NodePtr node, std::shared_ptr<Listener> listener, bool promptly) {
  std::lock_guard lock(mutex_);
  // Of what has no event of its own nobody asks when it was enqueued.
  if (event || awaited_.empty()) last_enqueued_ns_ = now_ns();
  awaited_.push_back({event, promptly, {std::move(node), {last_enqueued_ns_}}, std::move(listener)});
  count_ = awaited_.size();
  prompt_ += promptly;
  unmarked_ = event ? 0 : unmarked_ + 1;
  if (unmarked_ == kTogether) mark_last();
  if (!std::exchange(watching_, true)) {
    thread_.post([this] { watch(); });
  } else if (!taken_ && (promptly || waiting_ > 0)) {
    changed_.notify_one();
  }
}

void CompletionQueue::flush() {
  std::lock_guard lock(mutex_);
  if (unmarked_ > 0) mark_last();
}

bool CompletionQueue::is_time() const {
  if (taken_) return false;
  return awaited_.empty() ? leaves_ : leaves_ || hurries_ || prompt_ > 0 || waiting_ > 0;
}

// Up to the first that has an event. Under the mutex.
CompletionQueue::Batch CompletionQueue::take() {
  Batch batch;
  while (!awaited_.empty() && !batch.event) {
    Awaited& first = awaited_.front();
    batch.event = first.event;
    batch.nodes.push_back(std::move(first.node));
    batch.listener = std::move(first.listener);
    prompt_ -= first.promptly;
    awaited_.pop_front();
  }
  count_ = awaited_.size();
  unmarked_ = std::min(unmarked_, awaited_.size());
  return batch;
}

// Of several only the first is taken to have run, all the time. Under the mutex, or as the one who has taken them.
void CompletionQueue::note_end(std::span<CompletedNode> nodes, cl_int status) {
  const uint64_t now = now_ns();
  for (CompletedNode& each : nodes) {
    each.run.began = std::max(each.run.enqueued, last_ended_ns_);
    each.run.ended = last_ended_ns_ = std::max(each.run.began, now);
    each.status = status;
  }
}

void CompletionQueue::wait_and_tell(Batch& batch) {
  for (const CompletedNode& each : batch.nodes) {
    if (!each.node->observed) continue;
    batch.listener->began(*each.node, {each.run.enqueued, std::max(each.run.enqueued, last_ended_ns_)});
  }
  // What has no event was the last of all: the whole queue ends no later than a marker would.
  const cl_int status =
      batch.event ? wait_for(batch.event, &batch.nodes.back().run.computed) : driver::real().clFinish(queue_);
  note_end(batch.nodes, status);
  batch.listener->ended(batch.nodes);
  batch.nodes.clear();
}

void CompletionQueue::collect(std::vector<CompletedNode>& out) {
  if (count_.load(std::memory_order_relaxed) < 2 * kTogether) return;
  std::lock_guard lock(mutex_);
  if (taken_ || awaited_.size() < look_at_) return;
  looked_ = true;
  const auto& cl = driver::real();
  while (true) {
    const auto first = std::find_if(awaited_.begin(), awaited_.end(), [](const Awaited& each) { return each.event; });
    if (first == awaited_.end()) break;
    cl_int status = CL_QUEUED;
    cl.clGetEventInfo(first->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) break;
    Batch batch = take();
    note_end(batch.nodes, wait_for(batch.event, &batch.nodes.back().run.computed));
    std::move(batch.nodes.begin(), batch.nodes.end(), std::back_inserter(out));
  }
  look_at_ = awaited_.size() + kTogether / 2;
}

bool CompletionQueue::help(const void* owner) {
  Batch batch;
  {
    std::lock_guard lock(mutex_);
    const auto is_owned = [owner](const Awaited& each) { return each.node.node->owner.get() == owner; };
    if (taken_ || std::none_of(awaited_.rbegin(), awaited_.rend(), is_owned)) return false;
    taken_ = true;
    batch = take();
  }
  wait_and_tell(batch);
  // Our owner lives as long as its listener does.
  const std::shared_ptr<Listener> listener = std::move(batch.listener);
  std::lock_guard lock(mutex_);
  taken_ = false;
  look_at_ = 0;
  if (is_time()) changed_.notify_one();
  return true;
}

void CompletionQueue::hurry() {
  std::lock_guard lock(mutex_);
  if (awaited_.empty() || std::exchange(hurries_, true)) return;
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

// The thread's job: ends when nothing has been awaited for a while, so that launches that follow each other need not wake
// it, or at once if somebody hurries.
void CompletionQueue::watch() {
  int idle_looks = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    if (!is_time() && Worker::is_own_thread()) {
      if (!awaited_.empty()) driver::real().clFlush(queue_);  // nothing else may make the driver begin
      const size_t before = awaited_.size();
      changed_.wait_for(lock, kLongestSilence, [this] { return is_time(); });
      idle_looks = before == 0 && awaited_.empty() ? idle_looks + 1 : 0;
      // Who launches looks himself, and would have to wait for the driver while it serves two threads.
      if (std::exchange(looked_, false) && !is_time()) continue;
    }
    if (taken_) {
      changed_.wait_for(lock, kLongestSilence, [this] { return !taken_; });
      continue;
    }
    if (awaited_.empty()) {
      hurries_ = false;
      if (!leaves_ && Worker::is_own_thread() && idle_looks < kIdleLooks) continue;
      watching_ = leaves_ = false;
      return;
    }
    taken_ = true;
    Batch batch = take();
    lock.unlock();
    wait_and_tell(batch);
    const std::weak_ptr<Listener> listener = batch.listener;
    lock.lock();
    taken_ = false;
    look_at_ = 0;
    lock.unlock();
    batch.listener.reset();          // perhaps the last reference to our owner: then this is gone,
    if (listener.expired()) return;  // else its destruction waits for this thread
    lock.lock();
  }
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
  thread_.post([] {});
}

}  // namespace samcl
