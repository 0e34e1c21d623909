// Whether to move bytes to where a kernel's parts need them, although one launch saves less than that costs: launches
// that come again and again get it back. Rent or buy: they are moved when launches since the last time would have saved
// as much as it costs, so that never more than twice is lost of what could have been known before. Where it was in
// vain, because something takes the bytes back each time, launches must have lost ever more before they are moved
// again.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace samcl {

class Moving {
 public:
  // A launch would save so many ns in parts if their bytes were there; to move these takes `moving` ns, too much for
  // this one alone. Whether they are to be moved now.
  bool pays(uint64_t saved, uint64_t moving) {
    const uint64_t so_far = saved_.fetch_add(saved, std::memory_order_relaxed) + saved;
    const uint32_t times = in_vain_.load(std::memory_order_relaxed);
    if (so_far >> times < moving) return false;
    saved_.store(0, std::memory_order_relaxed);
    in_vain_.store(std::min(times + kTimesMore, kMostTimes), std::memory_order_relaxed);
    return true;
  }
  // A launch pays in parts as its bytes are: those that were moved stay.
  void stays() { in_vain_.store(0, std::memory_order_relaxed); }

 private:
  // Four times as much after each time.
  static constexpr uint32_t kTimesMore = 2, kMostTimes = 30;
  std::atomic<uint64_t> saved_{0};
  std::atomic<uint32_t> in_vain_{0};
};

}  // namespace samcl
