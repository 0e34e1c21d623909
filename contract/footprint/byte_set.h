// Sets of bytes of one buffer, as a kernel's footprint names them: few ranges, repeated at a stride. Rows of
// an image cut along x are one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/range.h"

namespace samcl {

// `count` ranges of `length` bytes, the first from `start` on, each `stride` bytes after the one before.
// Normal form: length > 0, count > 0; one range has stride 0; several do not touch (stride > length).
struct StridedRange {
  uint64_t start = 0;
  uint64_t length = 0;
  uint64_t stride = 0;
  uint64_t count = 1;

  uint64_t end() const { return start + (count - 1) * stride + length; }  // one past the last byte
  uint64_t bytes() const { return length * count; }
  Range row(uint64_t index) const { return {start + index * stride, start + index * stride + length}; }
  bool operator==(const StridedRange&) const = default;
};

// The union of its ranges, which may overlap. `whole`: nothing is known, any byte of the buffer; `ranges` is
// empty then.
struct ByteSet {
  bool whole = false;
  std::vector<StridedRange> ranges;

  bool empty() const { return !whole && ranges.empty(); }
  bool operator==(const ByteSet&) const = default;
};

// The smallest single range that holds the set; {0, size} for the whole of a buffer of `size` bytes.
Range bounds(const ByteSet& set, uint64_t size);

// True only if the two share no byte. May say false of sets that share none, where strides differ.
bool disjoint(const ByteSet& a, const ByteSet& b);

// True only if a byte `shift` bytes on in `a` is in `b`. May say false of sets of many ranges that share one, and of
// the whole.
bool surely_meet(const ByteSet& a, const ByteSet& b, int64_t shift = 0);

// True only if every byte of `inner` is in `outer`. May say false where it takes more than one range of
// `outer` to cover a range of `inner`. A whole `inner` is covered by a whole `outer` alone.
bool covers(const ByteSet& outer, const ByteSet& inner);

// Adds what `more` holds, joining neighbours. May add bytes that neither held once there are more than
// `limit` ranges: for sets that may be too large.
void add_generously(ByteSet& set, const StridedRange& more, size_t limit);

// Likewise, but leaves out what does not fit: for sets that may be too small.
void add_strictly(ByteSet& set, const StridedRange& more, size_t limit);

}  // namespace samcl
