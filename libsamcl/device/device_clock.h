// Where the host's clock stands against a device's, learned from ends that a device tells the time of: the host hears
// of each some time after it has come, so that the least difference counts.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace samcl {

// By which times are told. Times of one device that are told by it keep their order, also when it is learned anew while
// the device is idle.
struct DeviceClock {
  int64_t ahead_ns = 0;        // the host's, of the device's
  uint64_t not_before_ns = 0;  // host: all that was told by an earlier one had ended then
};

class LearnedClock {
 public:
  // Something ended at that time of the device's, of which the host heard at `now`. One thread at a time, as set().
  void learn(uint64_t device_time, uint64_t now);
  // What is known counts from now on, if anything is: nothing is awaited, so that no times before and after are told by
  // different clocks.
  void set(uint64_t not_before_ns);
  // Whether what is told by the present one is far off by now, or there is none.
  bool is_wrong() const;

  // Nothing as long as nothing is known. Any thread.
  std::optional<DeviceClock> present() const;

 private:
  int64_t ahead_ns_ = 0;     // the least that was seen
  uint64_t learned_ns_ = 0;  // when; 0: never
  mutable std::mutex mutex_;
  std::optional<DeviceClock> present_;  // guarded by it
};

}  // namespace samcl
