// Ends that others may hear of before the operation that they belong to is told of: of an operation that grew, some of
// whose commands the program has events of. They come in the order of the queue, so that who hears of one has heard of
// all before it.
//
// Guarded by the lock of its owner, but for what says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "libsamcl/device/late_times.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class EarlyEnds {
 public:
  // What is given to the queue next has an end of its own, and belongs to that operation; or it was not given after
  // all.
  void add(std::shared_ptr<LateTimes> end, const engine::Node& of);
  void take_back();

  // The device has come to that end, and to all before it, of which all are heard now. The operation that it belongs
  // to; nullptr: its end was heard of before.
  const engine::Node* hear(const LateTimes& end, uint64_t now_ns);

  // One of the first operations has ended, by then: with it what belongs to it. False: nothing more belongs to it.
  bool hear_first(const engine::Node& ended, uint64_t ended_ns);

  // When the last one was heard of early; 0: none was. Any thread.
  uint64_t last_heard_ns() const { return last_heard_ns_; }
  // Whether nobody has one that is not heard of. Any thread.
  bool empty() const { return empty_; }

 private:
  struct Unheard {
    std::shared_ptr<LateTimes> end;
    const engine::Node* of;
  };
  std::deque<Unheard> unheard_;
  std::atomic<uint64_t> last_heard_ns_{0};
  std::atomic<bool> empty_{true};
};

}  // namespace samcl
