// How often to find out what a kernel's parts would cost. That takes the host some time, which nobody notices while the
// device is busy with longer kernels. But where it takes as long as they do, or the device waits for the launch, and
// none runs in parts, the program would only lose by it.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace samcl {

class Judging {
 public:
  // Whether it is time again, for a launch that takes so many ns on one device. Asked once for each. is_busy: the
  // device.
  bool is_due(uint64_t launch_ns, bool is_busy) {
    const uint64_t cost = ns_.load(std::memory_order_relaxed);
    if (cost <= launch_ns / (is_busy ? kHidden : kPart)) return true;
    const uint64_t skipped = skipped_.fetch_add(1, std::memory_order_relaxed);
    if (skipped * launch_ns < kPart * cost) return false;
    skipped_.store(0, std::memory_order_relaxed);
    return true;
  }
  // It took that long.
  void took(uint64_t ns) {
    const uint64_t before = ns_.load(std::memory_order_relaxed);
    ns_.store(before == 0 ? ns : (3 * before + ns) / 4, std::memory_order_relaxed);
  }

 private:
  // It is hidden in a launch that takes kHidden times as long. Else it takes a kPart-th of the time of launches.
  static constexpr uint64_t kHidden = 2, kPart = 8;
  std::atomic<uint64_t> ns_{0}, skipped_{0};
};

}  // namespace samcl
