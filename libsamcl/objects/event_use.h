// How the program uses the events of the launches of a queue. Most wait for one only while nothing has been given to
// the device behind it, or never: then the end of all that the device has is that one's, too, which a driver tells
// without an event of its own. Whoever waits for others would wait for what is behind them, and who looks without
// waiting would have a marker behind each: once, and from then on there are events until he has not done so for a
// while.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace samcl {

class EventUse {
 public:
  // Whether the next one is to be the driver's.
  bool needs_drivers() const { return well_.load(std::memory_order_relaxed) < needed_.load(std::memory_order_relaxed); }
  // The program asked for the end of one for the first time. is_last: it waits, and nothing was behind it.
  void asked(bool is_last) {
    if (is_last) return not_missed();
    if (!needs_drivers()) {
      const uint32_t needed = needed_.load(std::memory_order_relaxed);
      needed_.store(std::min(kMostNeeded, 4 * needed), std::memory_order_relaxed);
    }
    well_.store(0, std::memory_order_relaxed);
  }
  // It let go of one without having asked.
  void not_missed() { well_.fetch_add(1, std::memory_order_relaxed); }

  static constexpr uint32_t kNeeded = 8, kMostNeeded = 1 << 16;

 private:
  std::atomic<uint32_t> well_{0}, needed_{kNeeded};  // so many in a row could have done without
};

}  // namespace samcl
