// How often to find out what a kernel's parts would cost. That takes the host some time, which nobody notices while the
// device is busy with longer kernels. But where it takes as long as they do, or the device waits for the launch, and
// none runs in parts, the program would only lose by it: the more often parts turned out no cheaper, the less time it
// gets.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace samcl {

class Judging {
 public:
  // Whether it is time again, for a launch that takes so many ns on one device. is_busy: the device.
  bool is_due(uint64_t launch_ns, bool is_busy) const {
    const uint64_t cost = ns();
    if (cost <= launch_ns / (is_busy ? kHidden : kMostPart)) return true;
    const uint64_t part = kPart << in_vain_.load(std::memory_order_relaxed) / kInVain;
    return cost <= launch_ns / part || skipped_.load(std::memory_order_relaxed) * launch_ns >= part * cost;
  }
  // A launch was not judged.
  void passed() { skipped_.fetch_add(1, std::memory_order_relaxed); }
  // It took that long. What the host's other work adds never makes it shorter, nor do the pages and caches that the
  // first time finds empty: a shorter time counts at once.
  void took(uint64_t ns) {
    const uint64_t before = ns_.load(std::memory_order_relaxed);
    ns_.store(before == 0 || ns < before ? ns : (3 * before + ns) / 4, std::memory_order_relaxed);
    skipped_.store(0, std::memory_order_relaxed);
  }
  // What came of it. Parts that only cost more since bytes would have to move may pay when these are there.
  enum class Found : uint8_t { parts_cost_less, moving_costs_more, parts_cost_more };
  void found(Found what) {
    parts_pay_.store(what == Found::parts_cost_less, std::memory_order_relaxed);
    const uint32_t more = what == Found::parts_cost_more ? kInVain : 1,
                   before = in_vain_.load(std::memory_order_relaxed);
    in_vain_.store(what == Found::parts_cost_less ? 0 : std::min(before + more, kMostInVain * kInVain),
                   std::memory_order_relaxed);
  }

  // Whether parts cost less when that was found out last.
  bool parts_pay() const { return parts_pay_.load(std::memory_order_relaxed); }

  // What it takes; 0: nobody knows.
  uint64_t ns() const { return ns_.load(std::memory_order_relaxed); }

 private:
  // It is hidden in a launch that takes kHidden times as long. Else it takes a kPart-th of the time of launches, half
  // of that after each time in vain, down to a kMostPart-th.
  static constexpr uint64_t kHidden = 2, kPart = 8, kMostPart = 256;
  static constexpr uint32_t kMostInVain = 5, kInVain = 8;
  static_assert(kPart << kMostInVain == kMostPart);
  std::atomic<uint64_t> ns_{0}, skipped_{0};
  std::atomic<uint32_t> in_vain_{0};
  std::atomic<bool> parts_pay_{false};
};

}  // namespace samcl
