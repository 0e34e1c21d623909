// How long a kernel computes, learned from its launches, by size.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>

namespace samcl {

// Launches of sizes within a factor of two are one class: the power of two that is not above the work-items.
inline size_t size_class(uint64_t work_items) { return static_cast<size_t>(std::bit_width(work_items | 1)) - 1; }

class KernelTimes {
 public:
  // A launch of so many work-items computed that long on one device, or, summed over them, on several.
  void took(uint64_t work_items, uint64_t ns);

  // What one device will take for a launch of so many work-items; 0: nothing is known.
  uint64_t expect(uint64_t work_items) const;

  // Whether the time of the next such launch should be taken exactly, which costs the driver more than the launch: the
  // first few, then some now and then. Asked once for each.
  bool wants_time(uint64_t work_items);

  // ns per work-item by size, as the power of two that is not above it: to be kept for another process.
  using BySize = std::map<unsigned, double>;
  BySize known() const;
  // What another process knew. Sizes that are out of bounds are passed over.
  void recall(const BySize& times);

 private:
  // Launches of sizes within a factor of two.
  struct Class {
    std::atomic<double> ns_per_item{0};
    std::atomic<uint32_t> asked{0};  // launches of which wants_time() has been asked: many before the first has ended
  };
  std::array<Class, 64> classes_;
};

}  // namespace samcl
