// Ranges of bytes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace samcl {

// Half-open interval of bytes of a buffer.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  constexpr uint64_t size() const { return end > begin ? end - begin : 0; }
  constexpr bool empty() const { return end <= begin; }
  bool operator==(const Range&) const = default;
};

// The overlap of two ranges; empty if they do not meet.
constexpr Range intersect(Range a, Range b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Range{} : both;
}

}  // namespace samcl
