#include "libsamcl/plan/accesses.h"

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

const KernelArgument* facts_of(const KernelTranslation* known, size_t index) {
  return known && index < known->arguments.size() ? &known->arguments[index] : nullptr;
}

ImageNumbers numbers_of(const ImageLayout& image) {
  return {image.pixel, image.row_pitch, image.slice_pitch, image.width, image.height, image.depth};
}

// images: room for one per argument, which the values refer to.
std::vector<ArgumentValue> values_of(const KernelTranslation* kernel, const Arguments& arguments,
                                     std::vector<ImageNumbers>& images) {
  std::vector<ArgumentValue> values(arguments.size());
  images.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument* facts = facts_of(kernel, i);
    if (const auto& buffer = arguments[i].buffer) {
      values[i].buffer_bytes = buffer->range.size();
      if (!buffer->image) continue;
      images[i] = numbers_of(buffer->image->layout);
      values[i].value = std::as_bytes(std::span(&images[i], 1));
    } else if (facts && facts->kind == ArgumentKind::value) {
      values[i].value = {arguments[i].bytes.data(), arguments[i].bytes.size()};
    } else {
      values[i].buffer_bytes = 0;
    }
  }
  return values;
}

// The ranges in order, without overlaps; those at most `gap` bytes apart become one.
void join(std::vector<Range>& ranges, uint64_t gap) {
  std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (range.empty()) continue;
    if (!joined.empty() && range.begin <= joined.back().end + gap) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  ranges = std::move(joined);
}

// What one part does to one storage, through all its arguments.
struct Gathered {
  std::vector<Range> needs;
  ByteSet writes;  // in bytes of the storage
  uint64_t written = 0;
  bool unknown_writes = false;
};

void add_needs(std::vector<Range>& needs, const ByteSet& set, Range shown) {
  if (set.whole) needs.push_back(shown);
  for (const StridedRange& strided : set.ranges) {
    if (strided.count > kMostWrites || (strided.count > 1 && strided.stride - strided.length <= kSmallGap)) {
      needs.push_back({shown.begin + strided.start, shown.begin + strided.end()});
      continue;
    }
    for (uint64_t row = 0; row < strided.count; ++row) {
      const Range range = strided.row(row);
      needs.push_back({shown.begin + range.begin, shown.begin + range.end});
    }
  }
}

void add(Gathered& to, const ArgumentFootprint& footprint, Range shown) {
  add_needs(to.needs, footprint.reads, shown);
  if (footprint.may_write.empty()) return;
  if (footprint.may_write.whole) {
    to.unknown_writes = true;
    return;
  }
  if (!covers(footprint.surely_writes, footprint.may_write)) add_needs(to.needs, footprint.may_write, shown);
  for (StridedRange range : footprint.may_write.ranges) {
    range.start += shown.begin;
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
  std::vector<Gathered> joined = parts;
  bool any = false;
  for (Gathered& part : joined) {
    for (StridedRange& range : part.writes.ranges) {
      const uint64_t gap = range.stride - range.length;
      if (range.count <= kFewRows || gap > kSmallGap || (!in_one_memory && gap > kMostOfRow * range.length)) continue;
      any = true;
      range = {range.start, range.end() - range.start, 0, 1};
      if (!in_one_memory) part.needs.push_back({range.start, range.end()});
    }
  }
  if (any && !any_overlap(joined)) parts = std::move(joined);
}

uint64_t write_ranges(const Gathered& part) {
  uint64_t count = 0;
  for (const StridedRange& range : part.writes.ranges) count += range.count;
  return count;
}

BufferAccess::Share share_of(Gathered gathered) {
  BufferAccess::Share share;
  share.written = gathered.written;
  share.needs = std::move(gathered.needs);
  join(share.needs, kSmallGap);
  for (const StridedRange& strided : gathered.writes.ranges) {
    for (uint64_t row = 0; row < strided.count; ++row) share.writes.push_back(strided.row(row));
  }
  join(share.writes, 0);
  return share;
}

}  // namespace

BufferAccesses accesses_of(const KernelTranslation* kernel, const Arguments& arguments) {
  BufferAccesses accesses;
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Argument& argument = arguments[index];
    if (!argument.buffer) continue;
    BufferAccess access;
    access.storage = argument.buffer->storage;
    access.range = argument.buffer->range;
    const KernelArgument* facts = facts_of(kernel, index);
    // Whatever the buffer's flags promise: programs do write to CL_MEM_READ_ONLY buffers (hashcat), and every
    // driver lets them.
    access.written = !facts || facts->may_write;
    if (access.written && argument.buffer->image) {
      access.width = static_cast<unsigned>(argument.buffer->image->layout.pixel);
    } else if (access.written) {
      access.width = facts && facts->store_width ? facts->store_width : 1;
    }
    if (facts) access.accumulates = facts->accumulates;
    auto same = std::find_if(accesses.begin(), accesses.end(),
                             [&](const BufferAccess& other) { return other.storage == access.storage; });
    if (same == accesses.end()) {
      accesses.push_back(std::move(access));
    } else {
      same->range = {std::min(same->range.begin, access.range.begin), std::max(same->range.end, access.range.end)};
      same->written |= access.written;
      same->is_mixed |= same->accumulates != access.accumulates ||
                        (access.accumulates != Accumulation::none && same->width != access.width);
      same->width = std::min(same->width, access.width);
    }
  }
  return accesses;
}

std::vector<uint64_t> written_bytes(const BufferAccesses& accesses, size_t parts) {
  std::vector<uint64_t> bytes(parts, 0);
  for (const BufferAccess& access : accesses) {
    if (!access.written) continue;
    if (access.shares.empty()) return {};
    for (size_t p = 0; p < parts; ++p) bytes[p] += access.shares[p].written;
  }
  return bytes;
}

PartitionCost partition(BufferAccesses& accesses, const KernelTranslation* kernel, const RememberedFootprint& footprint,
                        const Arguments& arguments, const Ndrange& ndrange, const std::vector<Part>& parts) {
  std::vector<ImageNumbers> images;
  const std::vector<ArgumentValue> values = values_of(kernel, arguments, images);
  const auto footprints = footprint.evaluate({ndrange, values}, parts);
  std::vector<ArgumentPlace> places(arguments.size());
  for (size_t index = 0; index < arguments.size(); ++index) {
    if (const auto& buffer = arguments[index].buffer) places[index] = {buffer->storage.get(), buffer->range.begin};
  }
  PartitionCost cost;
  cost.has_conflict = reads_what_another_writes(*footprints, places);
  cost.is_entangled = kernel && kernel->may_split_disjoint && !parts_are_apart(*footprints, places);
  for (BufferAccess& access : accesses) {
    std::vector<Gathered> gathered(parts.size());
    for (size_t p = 0; p < parts.size(); ++p) {
      for (size_t index = 0; index < arguments.size(); ++index) {
        const auto& buffer = arguments[index].buffer;
        if (buffer && buffer->storage == access.storage) add(gathered[p], (*footprints)[p][index], buffer->range);
      }
    }
    const bool known = std::none_of(gathered.begin(), gathered.end(), [](const Gathered& part) {
      return part.unknown_writes || write_ranges(part) > kMostWrites;
    });
    access.shares.clear();
    if (!known || any_overlap(gathered)) {
      cost.to_merge += access.to_merge(parts.size());
      cost.ranges += parts.size();
      continue;
    }
    join_rows(gathered, access.storage->shared());
    for (Gathered& part : gathered) {
      access.shares.push_back(share_of(std::move(part)));
      cost.ranges += access.shares.back().needs.size() + access.shares.back().writes.size();
    }
  }
  return cost;
}

}  // namespace samcl
