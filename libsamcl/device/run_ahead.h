// How far a program runs ahead on a device that a manager grants: which of its operations are in the driver's queue, and
// which wait here, in the order in which they came.
//
// Short operations whose time is known are given to the driver's queue as without a manager, as long as what is in it
// takes no longer than what a more urgent task may have to wait for. The process holds the device's lease as long as
// anything is in flight, and no longer; when somebody waits for it, what is in flight ends and nothing is added. All else
// waits for the feeder, the thread of the device's compute lane: what takes long or is not known runs alone, on that
// thread, which takes the lease for it by itself.
//
//   thread that plans (excluded by the context's lock)   enter()
//   feeder: one at a time, from Entry::feed until next() gives nothing        next(), begin(), ...
//   any thread that hears of an end                      ended()
//
// No OpenCL here and no clock. The mutex is a leaf but for the lease client's, which may send the daemon a message.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

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
  // An operation counts at least so long: drivers' queues take that from one to the next (measured: 3.6 us PoCL's, 4 us
  // that of an H200).
  static constexpr uint64_t kLeastNs = 5'000;
  // How long a lease is held while it is wanted, by whomever.
  static constexpr uint64_t kTurnNs = 2'000'000;

  RunAhead(lease::Client& client, uint32_t device) : client_(client), device_(device) {}

  // What an operation counts that is expected to take `ns` (0: nobody knows); 0: it must run alone.
  static uint64_t counted(uint64_t ns) { return ns == 0 || ns > kSliceNs ? 0 : std::max(ns, kLeastNs); }

  // An operation comes that counts `ns`. now: it is in flight, and is to be given to the driver's queue. waits: it is
  // kept here behind others; feed: likewise, and the caller has to see to a feeder.
  enum class Entry : uint8_t { now, waits, feed };
  Entry enter(const engine::NodePtr& node, uint64_t ns, uint64_t now_ns);

  // Of the feeder. The next operation that waits; nullptr: none does, and there is no feeder any more.
  engine::NodePtr next();
  // Leaves the feeder's part to another one, which the caller has to see to. False: nothing waits, and none is needed.
  bool hand_over();
  // Whether an operation that counts `ns` may be in flight as well; 0: whether nothing is, so that one may run alone.
  bool has_room(uint64_t ns, uint64_t now_ns);
  // If it may: it is in flight from now on. Waits for the lease where it is not held.
  void begin(uint64_t ns, uint64_t (*clock)());
  // Somebody waits for the end of something that waits here.
  void hurry();
  bool hurries();
  // Waits until more ends have been told than when `ends` was read, but not long.
  uint64_t ends();
  void wait_for_end(uint64_t ends);

  // Of what was in flight so many ended, which counted so much together; or they were not given to the driver after all.
  void ended(uint64_t count, uint64_t ns);

  // Whether somebody else waits for what is held.
  bool is_wanted();

 private:
  bool takes_more(uint64_t ns, uint64_t now_ns) const;

  lease::Client& client_;
  const uint32_t device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. The lease is held while in_flight_ > 0.
  std::deque<engine::NodePtr> waiting_;
  bool feeding_ = false;
  bool feeder_waits_ = false;
  bool hurries_ = false;  // until there is no feeder
  uint64_t in_flight_ = 0;
  uint64_t in_flight_ns_ = 0;
  uint64_t held_since_ = 0;
  uint64_t ends_ = 0;
};

}  // namespace samcl
