// Along which dimension of the NDRange a kernel's launches were cut best when several were compared last. To compare
// them for each launch takes as long as a short kernel, and launches of one kernel differ little.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace samcl {

class CutDimension {
 public:
  // Puts that dimension first, if it is one of those that serve a launch. Whether they are to be compared again: it is
  // none of these, or some launches have been cut without that.
  bool is_to_compare(std::vector<unsigned>& dimensions) {
    const auto known = std::ranges::find(dimensions, best_.load(std::memory_order_relaxed));
    if (known == dimensions.end()) return true;
    std::rotate(dimensions.begin(), known, known + 1);
    return cuts_.fetch_add(1, std::memory_order_relaxed) % kCompared == kCompared - 1;
  }
  void found(unsigned best) { best_.store(best, std::memory_order_relaxed); }

  // One of so many launches is compared.
  static constexpr uint32_t kCompared = 16;

 private:
  std::atomic<unsigned> best_{3};  // none
  std::atomic<uint32_t> cuts_{0};
};

}  // namespace samcl
