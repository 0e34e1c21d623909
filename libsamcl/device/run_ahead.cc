#include "libsamcl/device/run_ahead.h"

#include <utility>

namespace samcl {
namespace {

constexpr auto kGpu = lease::ResourceKind::gpu;
// An end that nobody told of: the feeder looks itself.
constexpr std::chrono::milliseconds kLongestWait{1};
// What is learned from: so many, in so long that it matters little when their ends were told.
constexpr uint64_t kEnough = 32, kLongEnoughNs = 1'000'000;
// For how long it does not run far after something else in the program wanted the device.
constexpr uint64_t kNearNs = 100'000'000;

}  // namespace

// All of these under the mutex, all but the first while the lease is held.

// If that needs no waiting.
bool RunAhead::add_at_once(uint64_t ns, uint64_t now_ns) {
  if (in_flight_ > 0) return add_more(ns, now_ns);
  return client_.try_acquire(kGpu, device_) && add_first(ns, now_ns);
}

// Adds it to what is in flight, if there is room. Two contexts of a program that is alone wait for each other, too.
bool RunAhead::add(uint64_t ns, uint64_t now_ns) {
  const bool is_far = now_ns >= near_until_ns_ && client_.runs_far(device_);
  is_far_ = is_far;
  if (in_flight_ns_ + ns > (is_far ? kFarMostNs : kMostNs) || (!is_far && ns > kSliceNs)) return false;
  ++in_flight_;
  in_flight_ns_ += ns;
  if (is_far) far_in_flight_ = in_flight_;
  return true;
}

bool RunAhead::add_more(uint64_t ns, uint64_t now_ns) {
  if (client_.is_wanted(kGpu, device_)) {
    near_until_ns_ = now_ns + kNearNs;
    if (client_.revoke_requested(kGpu, device_) || now_ns >= held_since_ + kTurnNs) return false;
  }
  return add(ns, now_ns);
}

// With the lease that was just taken; which is given back if it does not fit after all.
bool RunAhead::add_first(uint64_t ns, uint64_t now_ns) {
  held_since_ = since_ns_ = now_ns;
  since_count_ = since_counted_ = 0;
  const bool fits = add(ns, now_ns);
  if (!fits) client_.release(kGpu, device_);
  return fits;
}

// Where the time that all took is mostly what the queue takes from one to the next. The queue may have been empty for a
// while: the least of the last times counts, and a quarter more.
void RunAhead::learn(uint64_t count, uint64_t ns, uint64_t now_ns) {
  since_count_ += count;
  since_counted_ += ns;
  if (since_count_ < kEnough || now_ns < since_ns_ + kLongEnoughNs) return;
  const uint64_t least = least_ns_.load(std::memory_order_relaxed);
  if (since_counted_ < 2 * since_count_ * least) {
    learned_[next_learned_++ % learned_.size()] = std::max<uint64_t>(1, (now_ns - since_ns_) / since_count_);
    uint64_t each = kHighestLeastNs;
    for (const uint64_t learned : learned_) each = learned > 0 ? std::min(each, learned) : each;
    least_ns_.store(std::clamp(each + each / 4, kLowestLeastNs, kHighestLeastNs), std::memory_order_relaxed);
  }
  since_ns_ = now_ns;
  since_count_ = since_counted_ = 0;
}

RunAhead::Entry RunAhead::enter(const Waiting& coming, uint64_t ns, uint64_t now_ns, bool by_feeder) {
  std::lock_guard lock(mutex_);
  if (!feeding_ && ns > 0 && (!by_feeder || is_far())) {
    if (add_at_once(ns, now_ns)) return Entry::now;
  }
  waiting_.push_back(coming);
  count_waiting_ = waiting_.size();
  return std::exchange(feeding_, true) ? Entry::waits : Entry::feed;
}

bool RunAhead::extend(uint64_t ns, uint64_t now_ns) {
  std::lock_guard lock(mutex_);
  return !feeding_ && ns > 0 && add_at_once(ns, now_ns);
}

void RunAhead::take_back(uint64_t ns) {
  std::lock_guard lock(mutex_);
  leave(1, ns);
}

RunAhead::Waiting RunAhead::next() {
  std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    feeding_ = hurries_ = false;
    catches_up_ = false;
    return {};
  }
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  count_waiting_ = waiting_.size();
  return first;
}

bool RunAhead::hand_over() {
  std::lock_guard lock(mutex_);
  hurries_ = hurries_ && !waiting_.empty();
  catches_up_ = false;
  return feeding_ = !waiting_.empty();
}

// Nothing else begins while there is a feeder, and the lease is given back only with the last that is in flight.
RunAhead::Start RunAhead::start(uint64_t ns, uint64_t (*clock)()) {
  std::unique_lock lock(mutex_);
  bool begins = in_flight_ == 0;
  if (!begins) {
    begins = ns > 0 && add_more(ns, clock());
  } else if (ns > 0) {
    catches_up_ = false;
    lock.unlock();
    client_.acquire(kGpu, device_);
    lock.lock();
    begins = add_first(ns, clock());
  }
  catches_up_ = begins && ns > 0;
  return {begins, hurries_ && waiting_.empty(), ends_};
}

void RunAhead::hurry() {
  std::lock_guard lock(mutex_);
  hurries_ = feeding_;
}

void RunAhead::wait_for_end(uint64_t ends) {
  std::unique_lock lock(mutex_);
  feeder_waits_ = true;
  changed_.wait_for(lock, kLongestWait, [&] { return ends_ != ends; });
  feeder_waits_ = false;
}

void RunAhead::ended(uint64_t count, uint64_t ns, uint64_t now_ns) {
  if (count == 0) return;
  std::lock_guard lock(mutex_);
  learn(count, ns, now_ns);
  leave(count, ns);
}

// Under the mutex.
void RunAhead::leave(uint64_t count, uint64_t ns) {
  in_flight_ -= count;
  in_flight_ns_ -= ns;
  ++ends_;
  if (far_in_flight_ > 0) {
    far_in_flight_ -= std::min(count, far_in_flight_);
    if (far_in_flight_ == 0) client_.ends_run_far(device_);
  }
  if (in_flight_ == 0) client_.release(kGpu, device_);
  if (feeder_waits_) changed_.notify_one();
}

bool RunAhead::is_wanted() {
  std::lock_guard lock(mutex_);
  return in_flight_ > 0 && client_.is_wanted(kGpu, device_);
}

}  // namespace samcl
