#include "libsamcl/program/partition.h"

#include <algorithm>

#include "contract/footprint/part_conflict.h"

namespace samcl {
namespace {

// With more, the directory and the single transfers would cost more than merging.
constexpr uint64_t kMostWrites = 1024;
// With more rows, what lies between them is taken to be written, too, if no other part writes there: to plan with each
// row takes longer than short kernels do.
constexpr uint64_t kFewRows = 64;
constexpr uint64_t kMostOfRow = 4;  // what lies between two of them then, in lengths of a row
// Bytes that are moved for nothing rather than starting another transfer.
constexpr uint64_t kSmallGap = 64 << 10;

// The ranges in order, without overlaps; those at most `gap` bytes apart become one.
void join(std::vector<Range>& ranges, uint64_t gap) {
  std::erase_if(ranges, [](const Range& range) { return range.empty(); });
  if (!std::ranges::is_sorted(ranges, {}, &Range::begin)) std::ranges::sort(ranges, {}, &Range::begin);
  size_t joined = 0;
  for (const Range& range : ranges) {
    if (joined > 0 && range.begin <= ranges[joined - 1].end + gap)
      ranges[joined - 1].end = std::max(ranges[joined - 1].end, range.end);
    else
      ranges[joined++] = range;
  }
  ranges.resize(joined);
}

// What one part does to one storage, through all its arguments.
struct Gathered {
  std::vector<Range> needs;
  ByteSet writes;  // in bytes of the storage
  uint64_t written = 0;
  bool unknown_writes = false;
};

void add_needs(std::vector<Range>& needs, const ByteSet& set, const ShownBytes& shown) {
  const uint64_t start = shown.start();
  if (set.whole) needs.push_back(shown.range);
  for (const StridedRange& strided : set.ranges) {
    if (strided.count > kMostWrites || (strided.count > 1 && strided.stride - strided.length <= kSmallGap)) {
      needs.push_back({start + strided.start, start + strided.end()});
      continue;
    }
    for (uint64_t row = 0; row < strided.count; ++row) {
      const Range range = strided.row(row);
      needs.push_back({start + range.begin, start + range.end});
    }
  }
}

void add(Gathered& to, const ArgumentFootprint& footprint, const ShownBytes& shown) {
  add_needs(to.needs, footprint.reads, shown);
  if (footprint.may_write.empty()) return;
  if (footprint.may_write.whole) {
    to.unknown_writes = true;
    return;
  }
  if (!covers(footprint.surely_writes, footprint.may_write)) add_needs(to.needs, footprint.may_write, shown);
  for (StridedRange range : footprint.may_write.ranges) {
    range.start += shown.start();
    to.written += range.bytes();
    // Too many rows become one, with what lies between them, which the part then needs: it is valid there like the
    // rows.
    if (range.count > kMostWrites && range.stride - range.length <= kSmallGap) {
      to.needs.push_back({range.start, range.end()});
      range = {range.start, range.end() - range.start, 0, 1};
    }
    to.writes.ranges.push_back(range);
  }
}

bool any_overlap(const std::vector<Gathered>& parts) {
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t q = 0; q < p; ++q) {
      if (!disjoint(parts[p].writes, parts[q].writes)) return true;
    }
  }
  return false;
}

// Rows become one range, with what lies between them, which the part then needs: it is valid there like the rows. In
// one memory all is valid for all; elsewhere bytes move for it, so only where that is little.
void join_rows(std::vector<Gathered>& parts, bool in_one_memory) {
  const auto are_joined = [in_one_memory](const StridedRange& range) {
    const uint64_t gap = range.stride - range.length;
    return range.count > kFewRows && gap <= kSmallGap && (in_one_memory || gap <= kMostOfRow * range.length);
  };
  if (std::ranges::none_of(parts,
                           [&](const Gathered& part) { return std::ranges::any_of(part.writes.ranges, are_joined); }))
    return;
  std::vector<Gathered> joined = parts;
  for (Gathered& part : joined) {
    for (StridedRange& range : part.writes.ranges) {
      if (!are_joined(range)) continue;
      range = {range.start, range.end() - range.start, 0, 1};
      if (!in_one_memory) part.needs.push_back({range.start, range.end()});
    }
  }
  if (!any_overlap(joined)) parts = std::move(joined);
}

uint64_t write_ranges(const Gathered& part) {
  uint64_t count = 0;
  for (const StridedRange& range : part.writes.ranges) count += range.count;
  return count;
}

PartShare share_of(Gathered gathered) {
  PartShare share;
  share.written = gathered.written;
  share.needs = std::move(gathered.needs);
  join(share.needs, kSmallGap);
  for (const StridedRange& strided : gathered.writes.ranges) {
    for (uint64_t row = 0; row < strided.count; ++row) share.writes.push_back(strided.row(row));
  }
  join(share.writes, 0);
  return share;
}

// Empty if not all that the parts write to the object is known.
PartShares shares_of(std::span<const std::vector<ArgumentFootprint>> footprints, std::span<const ShownBytes> shown,
                     unsigned object) {
  std::vector<Gathered> gathered(footprints.size());
  bool is_shown = false, in_one_memory = false;
  for (size_t index = 0; index < shown.size(); ++index) {
    if (shown[index].object != object) continue;
    is_shown = true;
    in_one_memory = shown[index].in_one_memory;
    for (size_t p = 0; p < footprints.size(); ++p) add(gathered[p], footprints[p][index], shown[index]);
  }
  const bool known = is_shown && std::ranges::none_of(gathered, [](const Gathered& part) {
                       return part.unknown_writes || write_ranges(part) > kMostWrites;
                     });
  if (!known || any_overlap(gathered)) return {};
  join_rows(gathered, in_one_memory);
  std::vector<PartShare> shares;
  for (Gathered& part : gathered) shares.push_back(share_of(std::move(part)));
  return shares;
}

}  // namespace

std::optional<uint64_t> written_in_one_piece(std::span<const ArgumentFootprint> footprints) {
  uint64_t written = 0;
  for (const ArgumentFootprint& footprint : footprints) {
    if (footprint.may_write.whole) return std::nullopt;
    for (const StridedRange& range : footprint.may_write.ranges) {
      if (range.count > kMostWrites && range.stride - range.length > kSmallGap) return std::nullopt;
      written += range.bytes();
    }
  }
  return written;
}

Partition partition_of(std::span<const std::vector<ArgumentFootprint>> footprints, std::span<const ShownBytes> shown,
                       bool asks_entangled) {
  unsigned objects = 0;
  for (const ShownBytes& each : shown)
    if (each.object != ShownBytes::kNone) objects = std::max(objects, each.object + 1);
  const std::vector<std::byte> memory(objects);  // one address for each
  std::vector<ArgumentPlace> places(shown.size());
  for (size_t index = 0; index < shown.size(); ++index) {
    if (shown[index].object != ShownBytes::kNone) places[index] = {&memory[shown[index].object], shown[index].start()};
  }
  Partition partition;
  partition.has_conflict = reads_what_another_writes(footprints, places);
  for (size_t index = 0; index < shown.size(); ++index)
    if (shown[index].may_overlap) places[index] = {};
  partition.is_entangled = asks_entangled && !parts_are_apart(footprints, places);
  for (unsigned object = 0; object < objects; ++object)
    partition.shares.push_back(shares_of(footprints, shown, object));
  return partition;
}

}  // namespace samcl
