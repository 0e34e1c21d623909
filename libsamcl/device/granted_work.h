// What the driver has at a time of a device that a manager grants, in all its in-order queues (RealDevice::strand()),
// and the lease that is held for that: as long as anything is in flight, and no longer.
//
// What is in flight takes no longer than what a more urgent task may have to wait for. When somebody waits for the
// lease, what is in flight ends and nothing is added. While no other program is connected, it runs far: much more is in
// flight, and longer ones are. Only a program that connects then waits for that, once (lease::Client::runs_far()).
//
// Queues take turns: those for which there was no room stand in a line, and nothing is added but by its first.
//
// No OpenCL here and no clock. The mutex is a leaf but for the lease client's, which may send the daemon a message.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "libsamcl/lease/lease.h"

namespace samcl {

class GrantedWork {
 public:
  // What takes no longer may be in flight together with others; longer kernels are cut in slices of that time.
  static constexpr uint64_t kSliceNs = 500'000;
  // What may be in flight: with the time until somebody looks whether it has ended (CompletionQueue::kShortSilence) the
  // two slices that a more urgent task waits for at most.
  static constexpr uint64_t kMostNs = 800'000;
  // The same, while it runs far.
  static constexpr uint64_t kFarSliceNs = 20'000'000, kFarMostNs = 50'000'000;
  // How long a lease is held while it is wanted, by whomever.
  static constexpr uint64_t kTurnNs = 2'000'000;

  GrantedWork(lease::Client& client, uint32_t device) : client_(client), device_(device) {}

  // Whether what comes next may run far. Without the mutex, as the next four.
  bool may_run_far() const { return client_.is_alone() && !is_near_.load(std::memory_order_relaxed); }
  // Whether what takes so long may be in flight.
  bool takes_in_one_piece(uint64_t ns) const { return ns <= kSliceNs || (ns <= kFarSliceNs && may_run_far()); }
  // What an operation counts that is expected to take `ns` (0: nobody knows); 0: it must run alone. It counts no less
  // than what the driver's queues take from one to the next, which is learned while many of the shortest are in flight.
  uint64_t counted(uint64_t ns) const {
    if (ns == 0 || !takes_in_one_piece(ns)) return 0;
    return std::max(ns, least_ns_.load(std::memory_order_relaxed));
  }
  // Measured: 1 us and more with PoCL, 4 us with an H200.
  static constexpr uint64_t kFirstLeastNs = 5'000, kLowestLeastNs = 1'000, kHighestLeastNs = 20'000;

  // Whether much of what may be in flight while it runs far is, in so many operations that each is short.
  bool is_full_of_short_ones() const {
    return in_flight_ns_.load(std::memory_order_relaxed) > kFarMostNs / 2 &&
           in_flight_.load(std::memory_order_relaxed) > kManyShort;
  }
  static constexpr uint64_t kManyShort = 64;
  // Whether what came last did so while it runs far.
  bool is_far() const { return is_far_.load(std::memory_order_relaxed); }

  // Guards all that follows, and each queue's.
  std::mutex mutex;

  // What one of the queues has in flight, and of that so many have to end, in its order, until none is that came far
  // ahead.
  struct Queue {
    uint64_t in_flight = 0, far = 0;
  };

  bool is_idle() const { return in_flight_ == 0; }
  // Whether what comes next is likely to run far.
  bool runs_far() const { return is_idle() ? client_.is_alone() : is_far(); }
  bool has_others(const Queue& queue) const { return in_flight_ > queue.in_flight; }
  // One more that counts `ns` is in flight in that queue, if that needs no waiting.
  bool add_at_once(Queue& queue, uint64_t ns, uint64_t now_ns);
  // Of one that stands in the line, or would; waits for the lease where it is needed and not held, without the mutex.
  // ns: 0, nothing is in flight, and it may take the lease by itself. False: it has to wait for a change.
  bool add_in_turn(Queue& queue, uint64_t ns, uint64_t (*clock)(), std::unique_lock<std::mutex>& lock);
  // It does not want to any more.
  void leave_line(const Queue& queue);

  // So many of a queue that counted so much together have ended; or (leave) they were not given to the driver after
  // all.
  void ended(Queue& queue, uint64_t count, uint64_t ns, uint64_t now_ns);
  void leave(Queue& queue, uint64_t count, uint64_t ns);

  // How often something ended or had its turn; waits until that is more than `changes`, but not long.
  uint64_t changes() const { return changes_; }
  void wait_for_change(uint64_t changes, std::unique_lock<std::mutex>& lock);

  // Whether somebody else waits for what is held.
  bool is_wanted() const;

 private:
  bool add(Queue& queue, uint64_t ns, uint64_t now_ns);
  bool add_more(Queue& queue, uint64_t ns, uint64_t now_ns);
  bool add_first(Queue& queue, uint64_t ns, uint64_t now_ns);
  void learn(uint64_t count, uint64_t ns, uint64_t now_ns);
  void note_change();

  lease::Client& client_;
  const uint32_t device_;
  // The lease is held while in_flight_ > 0.
  std::atomic<uint64_t> in_flight_{0}, in_flight_ns_{0};  // written under the mutex
  std::deque<const Queue*> line_;
  uint64_t changes_ = 0;
  unsigned waiting_for_change_ = 0;
  std::condition_variable changed_;
  uint64_t held_since_ = 0;
  uint64_t queues_far_ = 0;  // so many have something that came far ahead
  // Something else in the program wants the device, too: for a while it does not run far.
  uint64_t near_until_ns_ = 0;
  std::atomic<bool> is_near_{false};  // written under the mutex
  std::atomic<bool> is_far_{false};   // written under the mutex
  // Since then, without a pause, so many have ended, which counted so much: what learn() learns from.
  uint64_t since_ns_ = 0, since_count_ = 0, since_counted_ = 0;
  std::array<uint64_t, 8> learned_{};  // the last of them; 0: none yet
  size_t next_learned_ = 0;
  std::atomic<uint64_t> least_ns_{kFirstLeastNs};  // written under the mutex
};

}  // namespace samcl
