#include "libsamcl/device/granted_work.h"

#include <chrono>

namespace samcl {
namespace {

constexpr auto kGpu = lease::ResourceKind::gpu;
// An end that nobody told of: who waits looks himself.
constexpr std::chrono::milliseconds kLongestWait{1};
// What is learned from: so many, in so long that it matters little when their ends were told.
constexpr uint64_t kEnough = 32, kLongEnoughNs = 1'000'000;
// For how long it does not run far after something else in the program wanted the device.
constexpr uint64_t kNearNs = 100'000'000;

}  // namespace

bool GrantedWork::add_at_once(Queue& queue, uint64_t ns, uint64_t now_ns) {
  if (!line_.empty()) return false;
  if (!is_idle()) return add_more(queue, ns, now_ns);
  return client_.try_acquire(kGpu, device_) && add_first(queue, ns, now_ns);
}

// Nobody adds anything while there is a line, and only its first takes the lease for it.
bool GrantedWork::add_in_turn(Queue& queue, uint64_t ns, uint64_t (*clock)(), std::unique_lock<std::mutex>& lock) {
  if (std::ranges::find(line_, &queue) == line_.end()) line_.push_back(&queue);
  if (line_.front() != &queue) return false;
  is_near_ = clock() < near_until_ns_;
  bool is_added = is_idle();
  if (!is_added) {
    is_added = ns > 0 && add_more(queue, ns, clock());
  } else if (ns > 0) {
    lock.unlock();
    client_.acquire(kGpu, device_);
    lock.lock();
    is_added = add_first(queue, ns, clock());
  }
  if (is_added) leave_line(queue);
  return is_added;
}

void GrantedWork::leave_line(const Queue& queue) {
  if (std::erase(line_, &queue) > 0) note_change();
}

// All of these but the first while the lease is held.

// If there is room. Two contexts of a program that is alone wait for each other, too.
bool GrantedWork::add(Queue& queue, uint64_t ns, uint64_t now_ns) {
  is_near_ = now_ns < near_until_ns_;
  const bool is_far = !is_near_ && client_.runs_far(kGpu, device_);
  is_far_ = is_far;
  if (in_flight_ns_ + ns > (is_far ? kFarMostNs : kMostNs) || (!is_far && ns > kSliceNs)) return false;
  ++in_flight_;
  ++queue.in_flight;
  in_flight_ns_ += ns;
  if (!is_far) return true;
  if (queue.far == 0) ++queues_far_;
  queue.far = queue.in_flight;
  return true;
}

bool GrantedWork::add_more(Queue& queue, uint64_t ns, uint64_t now_ns) {
  if (client_.is_wanted(kGpu, device_)) {
    near_until_ns_ = now_ns + kNearNs;
    is_near_ = true;
    if (client_.revoke_requested(kGpu, device_) || now_ns >= held_since_ + kTurnNs) return false;
  }
  return add(queue, ns, now_ns);
}

// With the lease that was just taken; which is given back if it does not fit after all.
bool GrantedWork::add_first(Queue& queue, uint64_t ns, uint64_t now_ns) {
  held_since_ = since_ns_ = now_ns;
  since_count_ = since_counted_ = 0;
  const bool fits = add(queue, ns, now_ns);
  if (!fits) client_.release(kGpu, device_);
  return fits;
}

// Where the time that all took is mostly what the queues take from one to the next. They may have been empty for a
// while: the least of the last times counts, and a quarter more.
void GrantedWork::learn(uint64_t count, uint64_t ns, uint64_t now_ns) {
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

void GrantedWork::ended(Queue& queue, uint64_t count, uint64_t ns, uint64_t now_ns) {
  learn(count, ns, now_ns);
  leave(queue, count, ns);
}

void GrantedWork::leave(Queue& queue, uint64_t count, uint64_t ns) {
  in_flight_ -= count;
  queue.in_flight -= count;
  in_flight_ns_ -= ns;
  if (queue.far > 0) {
    queue.far -= std::min(count, queue.far);
    if (queue.far == 0 && --queues_far_ == 0) client_.ends_run_far(kGpu, device_);
  }
  if (is_idle()) client_.release(kGpu, device_);
  note_change();
}

void GrantedWork::note_change() {
  ++changes_;
  if (waiting_for_change_ > 0) changed_.notify_all();
}

void GrantedWork::wait_for_change(uint64_t changes, std::unique_lock<std::mutex>& lock) {
  ++waiting_for_change_;
  changed_.wait_for(lock, kLongestWait, [&] { return changes_ != changes; });
  --waiting_for_change_;
}

bool GrantedWork::is_wanted() const { return !is_idle() && client_.is_wanted(kGpu, device_); }

}  // namespace samcl
