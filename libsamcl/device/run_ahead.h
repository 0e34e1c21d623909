// How far a program runs ahead on a device that a manager grants: which of its operations are in the driver's queue,
// and which wait here, in the order in which they came.
//
// Short operations whose time is known are given to the driver's queue as without a manager, as far as there is room
// under the lease that the device's queues have together (device/granted_work.h). All else waits for the feeder, the
// thread of the queue's compute lane: what takes long or is not known runs alone, on that thread, which takes the lease
// for it by itself.
//
//   thread that plans (excluded by the context's lock)   enter()
//   feeder: one at a time, from Entry::feed until next() gives nothing        next(), begin(), ...
//   any thread that hears of an end                      ended()
//
// No OpenCL here and no clock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "libsamcl/device/granted_work.h"
#include "libsamcl/device/reached.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class RunAhead {
 public:
  static constexpr uint64_t kSliceNs = GrantedWork::kSliceNs, kFarMostNs = GrantedWork::kFarMostNs;

  // Of one queue; those of a device have its work in common.
  explicit RunAhead(std::shared_ptr<GrantedWork> work) : work_(std::move(work)) {}
  const std::shared_ptr<GrantedWork>& work() const { return work_; }

  // See GrantedWork.
  bool may_run_far() const { return work_->may_run_far(); }
  bool takes_in_one_piece(uint64_t ns) const { return work_->takes_in_one_piece(ns); }
  uint64_t counted(uint64_t ns) const { return work_->counted(ns); }
  bool is_full_of_short_ones() const { return work_->is_full_of_short_ones(); }
  bool is_far() const { return work_->is_far(); }

  // An operation, and whether something waits for its end; no node: there is none. What its device is to wait for, of
  // others, and whether others are to be told of it (device/timelines.h).
  struct Waiting {
    engine::NodePtr node;
    bool is_awaited = false;
    ReachedList after = {};
    bool is_told = false;
  };

  // An operation comes that counts `ns`. now: it is in flight, and is to be given to the driver's queue. waits: it is
  // kept here behind others; feed: likewise, and the caller has to see to a feeder. by_feeder: rather than now, so that
  // the caller goes on meanwhile; not where it runs far, when the caller finds another thread.
  enum class Entry : uint8_t { now, waits, feed };
  Entry enter(const Waiting& coming, uint64_t ns, uint64_t now_ns, bool by_feeder = false);

  // One more that counts `ns` is in flight from now on, behind what was given to the driver's queue last. False: it has
  // to be entered. take_back: it was not given to the driver after all.
  bool extend(uint64_t ns, uint64_t now_ns);
  void take_back(uint64_t ns);

  // Of the feeder. The next operation that waits; none: there is no feeder any more. has_done_one: that has ended, or
  // is in flight; without the mutex.
  Waiting next();
  void has_done_one() { feeder_has_one_.store(false, std::memory_order_relaxed); }
  // Leaves the feeder's part to another one, which the caller has to see to. False: nothing waits, and none is needed.
  bool hand_over();
  // Whether any does; how many do, with the one that the feeder has, which may run alone. Without the mutex.
  bool has_waiting() const { return count_waiting_.load(std::memory_order_relaxed) > 0; }
  size_t entries() const {
    return count_waiting_.load(std::memory_order_relaxed) + (feeder_has_one_.load(std::memory_order_relaxed) ? 1 : 0);
  }
  // begins: an operation that counts `ns` is in flight from now on, as another one among others; 0: nothing is, so that
  // it may run alone. Waits for the lease where it is needed and not held. Else it has to wait for a change.
  struct Start {
    bool begins;
    bool hurries;      // somebody waits for the end of what waited here, of which it is the last
    uint64_t changes;  // so many there have been
  };
  Start start(uint64_t ns, uint64_t (*clock)());
  // Whether it gives the driver what waits without having to wait itself. Who is about to enter more does well to wait
  // for that: behind it he takes the driver's time once, and the feeder's, too, as long as he keeps ahead of it.
  bool catches_up() const { return catches_up_.load(std::memory_order_relaxed); }
  // Waits until there are more changes than that (ends, of this queue or another), but not long.
  void wait_for_change(uint64_t changes);
  // Somebody waits for the end of something that waits here.
  void hurry();

  // Of what was in flight so many ended, which counted so much together; or they were not given to the driver after
  // all. Whether other queues had something in flight, too.
  bool ended(uint64_t count, uint64_t ns, uint64_t now_ns);

  // Whether somebody else waits for what is held.
  bool is_wanted();

 private:
  const std::shared_ptr<GrantedWork> work_;
  // Guarded by its mutex.
  GrantedWork::Queue queue_;
  std::deque<Waiting> waiting_;
  std::atomic<size_t> count_waiting_{0};  // its size; written under the mutex
  bool feeding_ = false;
  std::atomic<bool> feeder_has_one_{false};
  std::atomic<bool> catches_up_{false};  // written under the mutex
  bool hurries_ = false;                 // until there is no feeder
};

}  // namespace samcl
