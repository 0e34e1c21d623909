#include "libsamcl/cost/self_tests.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "libsamcl/cost/kernel_times.h"

namespace samcl {
SelfTests::Next SelfTests::next(uint64_t work_items, std::span<const unsigned> others) {
  const std::lock_guard lock(mutex_);
  Class& sizes = classes_[size_class(work_items)];
  if (std::has_single_bit(++sizes.launches)) return Next::test;
  const bool all_same = std::all_of(others.begin(), others.end(), [&](unsigned kind) { return sizes.same[kind]; });
  if (!all_same) return Next::wait;
  ++joined_;
  return Next::join;
}

void SelfTests::tested(unsigned kind, uint64_t work_items, Outcome outcome) {
  const std::lock_guard lock(mutex_);
  if (outcome == Outcome::same) classes_[size_class(work_items)].same.set(kind);
  if (outcome == Outcome::different) apart_.set(kind);
}

bool SelfTests::is_apart(unsigned kind) const {
  const std::lock_guard lock(mutex_);
  return apart_[kind];
}

uint64_t SelfTests::joined() const {
  const std::lock_guard lock(mutex_);
  return joined_;
}

GroupBox SelfTests::box(const Ndrange& ndrange, uint64_t expected_ns, uint64_t number) {
  const uint64_t per_group = std::max<uint64_t>(ndrange.local[0] * ndrange.local[1] * ndrange.local[2], 1);
  const uint64_t groups = ndrange.total_groups();
  uint64_t items = kUnknownItems;
  if (expected_ns > 0) {
    const double part = static_cast<double>(kTestNs) / static_cast<double>(expected_ns);
    items = static_cast<uint64_t>(std::min<double>(kMostItems, part * static_cast<double>(groups * per_group)));
  }
  const uint64_t wanted = std::clamp<uint64_t>(items / per_group, 1, groups);
  // Of the slowest dimension that has several, the rows from one on; multiples of the golden ratio are spread evenly.
  unsigned slowest = 2;
  while (slowest > 0 && ndrange.groups(slowest) == 1) --slowest;
  const uint64_t rows = std::max<uint64_t>(ndrange.groups(slowest), 1);
  const uint64_t groups_per_row = std::max<uint64_t>(groups / rows, 1);
  const uint64_t rows_wanted = std::clamp<uint64_t>(wanted / groups_per_row, 1, rows);
  const double place = std::fmod(0.5 + static_cast<double>(number) * 0.6180339887498949, 1.0);
  const uint64_t first = static_cast<uint64_t>(place * static_cast<double>(rows - rows_wanted + 1));
  GroupBox rest{{0, 0, 0}, ndrange.groups()};
  rest.first[slowest] = first;
  rest.count[slowest] = rows - first;
  std::vector<GroupBox> left{rest};
  return cut_slice(left, wanted);
}

}  // namespace samcl
