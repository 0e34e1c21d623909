// Whether a daemon still moves, told from a counter that it increments at least every second. Pure logic.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace samcl::lease {

class Heartbeat {
 public:
  using Clock = std::chrono::steady_clock;

  // `limit`: how long the counter may stand still. `longest_look`: what the time between two looks counts for
  // at most, so that time in which we ourselves did not run is not held against the daemon.
  Heartbeat(uint32_t beats, Clock::time_point now, Clock::duration limit, Clock::duration longest_look)
      : limit_(limit), longest_look_(longest_look), beats_(beats), looked_(now) {}

  // False once the counter has stood still for the limit.
  bool is_alive(uint32_t beats, Clock::time_point now) {
    still_ = beats == beats_ ? still_ + std::min(now - looked_, longest_look_) : Clock::duration::zero();
    beats_ = beats;
    looked_ = now;
    return still_ < limit_;
  }

 private:
  const Clock::duration limit_;
  const Clock::duration longest_look_;
  uint32_t beats_;
  Clock::time_point looked_;
  Clock::duration still_{0};
};

}  // namespace samcl::lease
