// The rectangles of clEnqueue{Read,Write,Copy}BufferRect: rows of bytes at regular distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "libsamcl/coherence/directory.h"

namespace samcl {

struct Rectangle {
  uint64_t offset = 0;  // bytes from the buffer's begin to the first row
  uint64_t row_pitch = 0;
  uint64_t slice_pitch = 0;
  std::array<uint64_t, 3> region{};  // bytes, rows, slices; all positive

  // Resolves the defaults of the pitches (0) as OpenCL does.
  static Rectangle of(const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch) {
    Rectangle r;
    r.region = {region[0], region[1], region[2]};
    r.row_pitch = row_pitch ? row_pitch : region[0];
    r.slice_pitch = slice_pitch ? slice_pitch : region[1] * r.row_pitch;
    r.offset = origin[2] * r.slice_pitch + origin[1] * r.row_pitch + origin[0];
    return r;
  }

  static Rectangle run(uint64_t offset, uint64_t bytes) { return {offset, bytes, bytes, {bytes, 1, 1}}; }

  uint64_t bytes() const { return region[0] * region[1] * region[2]; }

  // The same bytes in as few rows as possible: one, if there are no gaps.
  Rectangle joined() const {
    Rectangle r = *this;
    if (r.region[1] > 1 && r.row_pitch == r.region[0]) {
      r.region[0] *= r.region[1];
      r.region[1] = 1;
    }
    if (r.region[1] == 1 && r.region[2] > 1 && r.slice_pitch == r.region[0]) {
      r.region[0] *= r.region[2];
      r.region[2] = 1;
    }
    return r;
  }
  bool is_run() const {
    const Rectangle r = joined();
    return r.region[1] == 1 && r.region[2] == 1;
  }

  // The origin that gives Rectangle::of() the same offset, and its region, as the driver takes them.
  std::array<size_t, 3> origin() const {
    const uint64_t in_slice = offset % slice_pitch;
    return {in_slice % row_pitch, in_slice / row_pitch, offset / slice_pitch};
  }
  std::array<size_t, 3> shape() const { return {region[0], region[1], region[2]}; }

  // The same in other surroundings: moved by that many bytes.
  Rectangle moved(uint64_t bytes) const {
    Rectangle r = *this;
    r.offset += bytes;
    return r;
  }

  // From the first byte to the last.
  Range bounds() const {
    return {offset, offset + (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0]};
  }

  // Calls visit(index, range of bytes) for every row.
  template <typename Visit>
  void for_each_row(Visit visit) const {
    uint64_t index = 0;
    for (uint64_t z = 0; z < region[2]; ++z) {
      for (uint64_t y = 0; y < region[1]; ++y, ++index) {
        const uint64_t begin = row(index);
        visit(index, Range{begin, begin + region[0]});
      }
    }
  }

  // Where the row of that index begins.
  uint64_t row(uint64_t index) const {
    return offset + (index / region[1]) * slice_pitch + (index % region[1]) * row_pitch;
  }
};

}  // namespace samcl
