#include "libsamcl/objects/bytes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace samcl {
namespace {

// Sorts them, and joins those that meet.
std::vector<Range> in_order(std::span<const Range> ranges) {
  std::vector<Range> sorted;
  std::ranges::copy_if(ranges, std::back_inserter(sorted), [](const Range& range) { return !range.empty(); });
  std::ranges::sort(sorted, {}, &Range::begin);
  std::vector<Range> joined;
  for (const Range& range : sorted) {
    if (joined.empty() || joined.back().end < range.begin)
      joined.push_back(range);
    else
      joined.back().end = std::max(joined.back().end, range.end);
  }
  return joined;
}

bool meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (!intersect(a[i], b[k]).empty()) return true;
    if (a[i].end <= b[k].end)
      ++i;
    else
      ++k;
  }
  return false;
}

// All ranges of that memory object.
std::vector<Range> ranges_of(const std::shared_ptr<Storage>& memory, std::span<const Bytes> all) {
  std::vector<Range> ranges;
  for (const Bytes& bytes : all)
    if (bytes.memory == memory) ranges.insert(ranges.end(), bytes.ranges.begin(), bytes.ranges.end());
  return in_order(ranges);
}

// Both in order.
std::vector<Range> without(std::span<const Range> some, std::span<const Range> others) {
  std::vector<Range> left;
  for (Range range : some) {
    for (const Range& other : others) {
      const Range both = intersect(range, other);
      if (both.empty()) continue;
      if (range.begin < both.begin) left.push_back({range.begin, both.begin});
      range.begin = both.end;
    }
    if (!range.empty()) left.push_back(range);
  }
  return left;
}

}  // namespace

Bytes::Bytes(std::shared_ptr<Storage> of, std::span<const Range> which)
    : memory(std::move(of)), ranges(in_order(which)) {}

bool overlap(std::span<const Bytes> some, std::span<const Bytes> others) {
  return std::ranges::any_of(some, [&](const Bytes& a) {
    return std::ranges::any_of(others,
                               [&](const Bytes& b) { return a.memory == b.memory && meet(a.ranges, b.ranges); });
  });
}

bool are_among(std::span<const Bytes> some, std::span<const Bytes> others) { return without(some, others).empty(); }

void add(std::vector<Bytes>& to, std::span<const Bytes> others) {
  for (const Bytes& bytes : others) {
    const auto found = std::ranges::find(to, bytes.memory, &Bytes::memory);
    if (found == to.end()) {
      to.push_back(bytes);
      continue;
    }
    found->ranges.insert(found->ranges.end(), bytes.ranges.begin(), bytes.ranges.end());
    found->ranges = in_order(found->ranges);
  }
}

std::vector<Bytes> without(std::span<const Bytes> some, std::span<const Bytes> others) {
  std::vector<Bytes> left;
  for (const Bytes& bytes : some) {
    const std::vector<Range> ranges = without(bytes.ranges, ranges_of(bytes.memory, others));
    if (!ranges.empty()) left.emplace_back(bytes.memory, ranges);
  }
  return left;
}

std::vector<Bytes> common(std::span<const Bytes> some, std::span<const Bytes> others) {
  return without(some, without(some, others));
}

uint64_t size_of(std::span<const Bytes> all) {
  uint64_t size = 0;
  for (const Bytes& bytes : all)
    for (const Range& range : bytes.ranges) size += range.size();
  return size;
}

}  // namespace samcl
