// How far a program runs ahead on a device that a manager grants: which of its operations are in the driver's queue,
// and which wait here, in the order in which they came.
//
// Short operations whose time is known are given to the driver's queue as without a manager, as long as what is in it
// takes no longer than what a more urgent task may have to wait for. The process holds the device's lease as long as
// anything is in flight, and no longer; when somebody waits for it, what is in flight ends and nothing is added. All
// else waits for the feeder, the thread of the device's compute lane: what takes long or is not known runs alone, on
// that thread, which takes the lease for it by itself.
//
// While no other program is connected, it runs far: much more is in flight, and longer ones are. Only a program that
// connects then waits for that, once (lease::Client::runs_far()).
//
//   thread that plans (excluded by the context's lock)   enter()
//   feeder: one at a time, from Entry::feed until next() gives nothing        next(), begin(), ...
//   any thread that hears of an end                      ended()
//
// No OpenCL here and no clock. The mutex is a leaf but for the lease client's, which may send the daemon a message.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "libsamcl/device/reached.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/lease/lease.h"

namespace samcl {

class RunAhead {
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

  RunAhead(lease::Client& client, uint32_t device) : client_(client), device_(device) {}

  // What an operation counts that is expected to take `ns` (0: nobody knows); 0: it must run alone. It counts no less
  // than what the driver's queue takes from one to the next, which is learned while many of the shortest are in flight.
  uint64_t counted(uint64_t ns) const {
    if (ns == 0 || (ns > kSliceNs && (ns > kFarSliceNs || !client_.is_alone()))) return 0;
    return std::max(ns, least_ns_.load(std::memory_order_relaxed));
  }
  // Measured: 1 us and more with PoCL, 4 us with an H200.
  static constexpr uint64_t kFirstLeastNs = 5'000, kLowestLeastNs = 1'000, kHighestLeastNs = 20'000;

  // An operation, and whether something waits for its end; no node: there is none. What its device is to wait for, of
  // others, and whether others are to be told of it (device/timelines.h).
  struct Waiting {
    engine::NodePtr node;
    bool is_awaited = false;
    ReachedList after = {};
    bool is_told = false;
  };

  // Whether much of what may be in flight while it runs far is, in so many operations that each is short.
  bool is_full_of_short_ones() const {
    return in_flight_ns_.load(std::memory_order_relaxed) > kFarMostNs / 2 &&
           in_flight_.load(std::memory_order_relaxed) > kManyShort;
  }
  static constexpr uint64_t kManyShort = 64;
  // Whether what came last did so while it runs far.
  bool is_far() const { return is_far_.load(std::memory_order_relaxed); }

  // An operation comes that counts `ns`. now: it is in flight, and is to be given to the driver's queue. waits: it is
  // kept here behind others; feed: likewise, and the caller has to see to a feeder. by_feeder: rather than now, so that
  // the caller goes on meanwhile; not while it runs far, when the caller finds another thread.
  enum class Entry : uint8_t { now, waits, feed };
  Entry enter(const Waiting& coming, uint64_t ns, uint64_t now_ns, bool by_feeder = false);

  // One more that counts `ns` is in flight from now on, behind what was given to the driver's queue last. False: it has
  // to be entered. take_back: it was not given to the driver after all.
  bool extend(uint64_t ns, uint64_t now_ns);
  void take_back(uint64_t ns);

  // Of the feeder. The next operation that waits; none: there is no feeder any more.
  Waiting next();
  // Leaves the feeder's part to another one, which the caller has to see to. False: nothing waits, and none is needed.
  bool hand_over();
  // Whether any does; without the mutex.
  bool has_waiting() const { return count_waiting_.load(std::memory_order_relaxed) > 0; }
  // begins: an operation that counts `ns` is in flight from now on, as another one among others; 0: nothing is, so that
  // it may run alone. Waits for the lease where it is needed and not held. Else it has to wait for an end.
  struct Start {
    bool begins;
    bool hurries;   // somebody waits for the end of what waited here, of which it is the last
    uint64_t ends;  // how many have been told
  };
  Start start(uint64_t ns, uint64_t (*clock)());
  // Whether it gives the driver what waits without having to wait itself. Who is about to enter more does well to wait
  // for that: behind it he takes the driver's time once, and the feeder's, too, as long as he keeps ahead of it.
  bool catches_up() const { return catches_up_.load(std::memory_order_relaxed); }
  // Waits until more ends than that have been told, but not long.
  void wait_for_end(uint64_t ends);
  // Somebody waits for the end of something that waits here.
  void hurry();

  // Of what was in flight so many ended, which counted so much together; or they were not given to the driver after
  // all.
  void ended(uint64_t count, uint64_t ns, uint64_t now_ns);

  // Whether somebody else waits for what is held.
  bool is_wanted();

 private:
  bool add_at_once(uint64_t ns, uint64_t now_ns);
  bool add(uint64_t ns, uint64_t now_ns);
  bool add_more(uint64_t ns, uint64_t now_ns);
  bool add_first(uint64_t ns, uint64_t now_ns);
  void learn(uint64_t count, uint64_t ns, uint64_t now_ns);
  void leave(uint64_t count, uint64_t ns);

  lease::Client& client_;
  const uint32_t device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. The lease is held while in_flight_ > 0.
  std::deque<Waiting> waiting_;
  std::atomic<size_t> count_waiting_{0};  // its size; written under the mutex
  bool feeding_ = false;
  bool feeder_waits_ = false;
  std::atomic<bool> catches_up_{false};                   // written under the mutex
  bool hurries_ = false;                                  // until there is no feeder
  std::atomic<uint64_t> in_flight_{0}, in_flight_ns_{0};  // written under the mutex
  uint64_t held_since_ = 0;
  uint64_t far_in_flight_ = 0;       // of what is in flight so many have to end until none is that came far ahead
  uint64_t near_until_ns_ = 0;       // something else in the program wants the device, too
  std::atomic<bool> is_far_{false};  // written under the mutex
  uint64_t ends_ = 0;
  // Since then, without a pause, so many have ended, which counted so much: what learn() learns from.
  uint64_t since_ns_ = 0, since_count_ = 0, since_counted_ = 0;
  std::array<uint64_t, 8> learned_{};  // the last of them; 0: none yet
  size_t next_learned_ = 0;
  std::atomic<uint64_t> least_ns_{kFirstLeastNs};  // written under the mutex
};

}  // namespace samcl
