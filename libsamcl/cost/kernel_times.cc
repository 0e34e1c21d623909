#include "libsamcl/cost/kernel_times.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace samcl {
namespace {

// Launches that are all timed, and one of how many is later.
constexpr uint32_t kFirst = 4, kLater = 64;

}  // namespace

// What the host's other work adds to a time never makes it shorter: shorter times count more.
void KernelTimes::took(uint64_t work_items, uint64_t ns) {
  Class& here = classes_[size_class(work_items)];
  const double value = static_cast<double>(ns) / static_cast<double>(std::max<uint64_t>(work_items, 1));
  const double before = here.ns_per_item.load(std::memory_order_relaxed);
  const double weight = value < before ? 0.5 : 0.125;
  here.ns_per_item.store(before == 0 ? value : (1 - weight) * before + weight * value, std::memory_order_relaxed);
}

uint64_t KernelTimes::expect(uint64_t work_items) const {
  const Class& here = classes_[size_class(work_items)];
  return static_cast<uint64_t>(
      std::ceil(here.ns_per_item.load(std::memory_order_relaxed) * static_cast<double>(work_items)));
}

bool KernelTimes::wants_time(uint64_t work_items) {
  const uint32_t before = classes_[size_class(work_items)].asked.fetch_add(1, std::memory_order_relaxed);
  return before < kFirst || before % kLater == 0;
}

KernelTimes::BySize KernelTimes::known() const {
  BySize times;
  for (unsigned size = 0; size < classes_.size(); ++size) {
    const double ns = classes_[size].ns_per_item.load(std::memory_order_relaxed);
    if (ns > 0) times[size] = ns;
  }
  return times;
}

void KernelTimes::recall(const BySize& times) {
  for (const auto& [size, ns] : times) {
    if (size < classes_.size() && ns > 0) classes_[size].ns_per_item.store(ns, std::memory_order_relaxed);
  }
}

}  // namespace samcl
