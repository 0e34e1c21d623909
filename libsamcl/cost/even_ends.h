// Whether the parts of a kernel's launches end at about once as they are cut: then to run them in pieces, so that
// devices can take over from each other, only costs the pieces' launches. Launches that are not so cut show when they
// end at once no more.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>

namespace samcl {

class EvenEnds {
 public:
  // The parts of a launch took that long, ns, or would have had each been run by its own device.
  void took(std::span<const uint64_t> parts) {
    const uint64_t all = std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    if (all == 0) return;
    const double mean = static_cast<double>(all) / static_cast<double>(parts.size());
    const double idle = static_cast<double>(*std::ranges::max_element(parts)) / mean - 1;
    const double so_far = idle_.load(std::memory_order_relaxed);
    idle_.store(so_far + (std::min(idle, kMost) - so_far) * kNews, std::memory_order_relaxed);
  }
  bool are_expected() const { return idle_.load(std::memory_order_relaxed) < kWorthPieces; }

 private:
  // By how much the longest part is longer than the mean of all, by the last launches; before the first: nobody knows.
  std::atomic<double> idle_{1};
  static constexpr double kMost = 1, kNews = 0.25;
  // What pieces cost on a loaded machine (PoCL's pthread and basic, two cores: 3 to 11% of launches of 75 ms).
  static constexpr double kWorthPieces = 0.06;
};

}  // namespace samcl
