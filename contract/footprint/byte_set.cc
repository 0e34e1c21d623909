#include "contract/footprint/byte_set.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace samcl {
namespace {

using Signed = __int128;

StridedRange normal(StridedRange range) {
  if (range.count > 1 && range.stride <= range.length) {
    range.length += (range.count - 1) * range.stride;
    range.count = 1;
  }
  if (range.count == 1) range.stride = 0;
  return range;
}

bool covers(const StridedRange& outer, const StridedRange& inner) {
  if (inner.start < outer.start || inner.end() > outer.end()) return false;
  if (outer.count == 1) return true;
  const uint64_t into_row = (inner.start - outer.start) % outer.stride;
  if (into_row + inner.length > outer.length) return false;
  return inner.count == 1 || inner.stride % outer.stride == 0;
}

// Beyond so many rows nothing is sure.
constexpr uint64_t kMostRows = 4096;

// Whether one of the rows that a's only row begins `distance` bytes before is met by it.
bool meets_row(uint64_t length, const StridedRange& b, Signed distance) {
  if (distance >= static_cast<Signed>(length)) return false;
  const Signed own = static_cast<Signed>(b.length);
  if (distance + own > 0) return true;
  if (b.count == 1) return false;
  const Signed stride = static_cast<Signed>(b.stride);
  const Signed next = (-distance - own) / stride + 1;  // the first row that ends behind a's beginning
  return next < static_cast<Signed>(b.count) && distance + next * stride < static_cast<Signed>(length);
}

bool surely_meet(const StridedRange& a, const StridedRange& b, Signed distance) {
  if (a.count > b.count) return surely_meet(b, a, -distance);
  if (a.count > 1 && a.stride == b.stride) {
    // Row i of a and row j of b: all that counts is i - j.
    const Signed stride = static_cast<Signed>(a.stride), last = static_cast<Signed>(a.count) - 1;
    const StridedRange ways{0, b.length, a.stride, a.count + b.count - 1};
    return meets_row(a.length, ways, distance - last * stride);
  }
  for (uint64_t row = 0; row < a.count && row < kMostRows; ++row)
    if (meets_row(a.length, b, distance - static_cast<Signed>(row * a.stride))) return true;
  return false;
}

// The union, if it is one strided range.
std::optional<StridedRange> joined(const StridedRange& a, const StridedRange& b) {
  if (covers(a, b)) return a;
  if (covers(b, a)) return b;
  if (a.count != b.count || a.stride != b.stride) return std::nullopt;
  const StridedRange& low = a.start <= b.start ? a : b;
  const StridedRange& high = a.start <= b.start ? b : a;
  if (high.start > low.start + low.length) return std::nullopt;
  StridedRange both = low;
  both.length = std::max(low.start + low.length, high.start + high.length) - low.start;
  return normal(both);
}

StridedRange hull(const StridedRange& a, const StridedRange& b) {
  const uint64_t start = std::min(a.start, b.start);
  return {start, std::max(a.end(), b.end()) - start, 0, 1};
}

void add_joining(std::vector<StridedRange>& ranges, StridedRange more) {
  more = normal(more);
  for (size_t i = 0; i < ranges.size();) {
    if (const auto both = joined(ranges[i], more)) {
      more = *both;
      ranges.erase(ranges.begin() + static_cast<long>(i));
      i = 0;
    } else {
      ++i;
    }
  }
  ranges.push_back(more);
}

// Replaces the two ranges whose hull adds the fewest bytes by it.
void join_closest(std::vector<StridedRange>& ranges) {
  size_t first = 0, second = 1;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < ranges.size(); ++i) {
    for (size_t j = i + 1; j < ranges.size(); ++j) {
      const uint64_t both = hull(ranges[i], ranges[j]).length;
      const uint64_t own = ranges[i].bytes() + ranges[j].bytes();
      const uint64_t added = both > own ? both - own : 0;
      if (added < least) {
        least = added;
        first = i;
        second = j;
      }
    }
  }
  const StridedRange both = hull(ranges[first], ranges[second]);
  ranges.erase(ranges.begin() + static_cast<long>(second));
  ranges.erase(ranges.begin() + static_cast<long>(first));
  add_joining(ranges, both);
}

bool disjoint(const StridedRange& a, const StridedRange& b) {
  if (a.end() <= b.start || b.end() <= a.start) return true;
  if (a.count == 1 && b.count == 1) return false;
  // Modulo what divides both strides, each is one interval.
  const uint64_t step = std::gcd(a.stride, b.stride);
  if (a.length > step || b.length > step) return false;
  const uint64_t distance =
      b.start >= a.start ? (b.start - a.start) % step : (step - (a.start - b.start) % step) % step;
  return a.length <= distance && distance + b.length <= step;
}

}  // namespace

Range bounds(const ByteSet& set, uint64_t size) {
  if (set.whole) return {0, size};
  if (set.ranges.empty()) return {};
  Range range{UINT64_MAX, 0};
  for (const StridedRange& each : set.ranges) {
    range.begin = std::min(range.begin, each.start);
    range.end = std::max(range.end, each.end());
  }
  return range;
}

bool disjoint(const ByteSet& a, const ByteSet& b) {
  if (a.empty() || b.empty()) return true;
  if (a.whole || b.whole) return false;
  for (const StridedRange& x : a.ranges)
    for (const StridedRange& y : b.ranges)
      if (!disjoint(x, y)) return false;
  return true;
}

bool surely_meet(const ByteSet& a, const ByteSet& b, int64_t shift) {
  for (const StridedRange& x : a.ranges)
    for (const StridedRange& y : b.ranges)
      if (surely_meet(x, y, Signed{y.start} - Signed{x.start} - shift)) return true;
  return false;
}

bool covers(const ByteSet& outer, const ByteSet& inner) {
  if (outer.whole) return true;
  if (inner.whole) return false;
  return std::all_of(inner.ranges.begin(), inner.ranges.end(), [&](const StridedRange& each) {
    return std::any_of(outer.ranges.begin(), outer.ranges.end(),
                       [&](const StridedRange& other) { return covers(other, each); });
  });
}

void add_generously(ByteSet& set, const StridedRange& more, size_t limit) {
  if (set.whole) return;
  add_joining(set.ranges, more);
  while (set.ranges.size() > limit) join_closest(set.ranges);
}

void add_strictly(ByteSet& set, const StridedRange& more, size_t limit) {
  if (set.whole) return;
  add_joining(set.ranges, more);
  while (set.ranges.size() > limit)
    set.ranges.erase(std::min_element(set.ranges.begin(), set.ranges.end(),
                                      [](const auto& a, const auto& b) { return a.bytes() < b.bytes(); }));
}

}  // namespace samcl
