// The rectangles of clEnqueue{Read,Write,Copy}BufferRect: rows of bytes at regular distances.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/range.h"

namespace samcl {

struct Rectangle {
  uint64_t offset = 0;  // bytes from the buffer's begin to the first row
  uint64_t row_pitch = 0;
  uint64_t slice_pitch = 0;
  std::array<uint64_t, 3> region{};  // bytes, rows, slices; all positive

  bool operator==(const Rectangle&) const = default;

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

  // Whether the driver's rectangle commands take it as it is: rows that end within their pitch, and slices within
  // theirs. (NVIDIA's driver 580 copies others wrong, without an error.)
  bool fits_pitches() const {
    if (offset % row_pitch + region[0] > row_pitch) return false;
    return region[2] == 1 || offset % slice_pitch / row_pitch + region[1] <= slice_pitch / row_pitch;
  }
  // The origin that gives Rectangle::of() the same offset, the region, and the slice pitch to go with them.
  std::array<size_t, 3> origin() const {
    const uint64_t in_slice = offset % driver_slice_pitch();
    return {in_slice % row_pitch, in_slice / row_pitch, offset / driver_slice_pitch()};
  }
  std::array<size_t, 3> shape() const { return {region[0], region[1], region[2]}; }
  size_t driver_slice_pitch() const {
    return region[2] == 1 ? (offset / row_pitch + region[1]) * row_pitch : slice_pitch;
  }

  // Rows [y, y + rows) of slices [z, z + slices).
  Rectangle part(uint64_t y, uint64_t rows, uint64_t z, uint64_t slices) const {
    return {offset + z * slice_pitch + y * row_pitch, row_pitch, slice_pitch, {region[0], rows, slices}};
  }
  Rectangle slice(uint64_t z) const { return part(0, region[1], z, 1); }

  // The same shape from byte 0 on, without gaps.
  Rectangle dense() const { return {0, region[0], region[0] * region[1], region}; }

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

// Ranges as few rectangles, in their order: those of equal length at equal distances that follow one another are rows
// of one.
inline std::vector<Rectangle> as_rectangles(std::span<const Range> ranges) {
  std::vector<Rectangle> rectangles;
  for (size_t first = 0, rows = 0; first < ranges.size(); first += rows) {
    const uint64_t begin = ranges[first].begin, length = ranges[first].size();
    const auto lies_behind = [&](size_t row, uint64_t pitch) {
      return first + row < ranges.size() && ranges[first + row].size() == length &&
             ranges[first + row].begin == begin + row * pitch;
    };
    const bool is_alone = first + 1 == ranges.size() || ranges[first + 1].begin < ranges[first].end;
    const uint64_t pitch = is_alone ? length : ranges[first + 1].begin - begin;
    for (rows = 1; !is_alone && lies_behind(rows, pitch);) ++rows;
    rectangles.push_back(rows == 1 ? Rectangle::run(begin, length)
                                   : Rectangle{begin, pitch, pitch * rows, {length, rows, 1}});
  }
  return rectangles;
}

// Pieces of two rectangles of one shape, each with its counterpart.
using RectanglePairs = std::vector<std::pair<Rectangle, Rectangle>>;

// Single rows.
inline RectanglePairs rows_of(const Rectangle& one, const Rectangle& other) {
  RectanglePairs rows;
  for (uint64_t i = 0; i < one.region[1] * one.region[2]; ++i) {
    rows.emplace_back(Rectangle::run(one.row(i), one.region[0]), Rectangle::run(other.row(i), other.region[0]));
  }
  return rows;
}

// Pieces of at most that many bytes, in order: whole slices or rows, as many as there is room for; longer rows are cut.
inline RectanglePairs cut(const Rectangle& one, const Rectangle& other, uint64_t most) {
  RectanglePairs pieces;
  const auto cut_run = [&](uint64_t begin, uint64_t other_begin, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes; done += most) {
      const uint64_t length = std::min(most, bytes - done);
      pieces.emplace_back(Rectangle::run(begin + done, length), Rectangle::run(other_begin + done, length));
    }
  };
  const auto [bytes, rows, slices] = one.region;
  if (one.is_run() && other.is_run()) {
    cut_run(one.offset, other.offset, one.bytes());
  } else if (bytes > most) {
    for (uint64_t i = 0; i < rows * slices; ++i) cut_run(one.row(i), other.row(i), bytes);
  } else {
    const uint64_t height = std::min(rows, most / bytes);
    const uint64_t depth = height == rows ? std::min(slices, most / (bytes * rows)) : 1;
    for (uint64_t z = 0; z < slices; z += depth) {
      for (uint64_t y = 0; y < rows; y += height) {
        const uint64_t high = std::min(height, rows - y), deep = std::min(depth, slices - z);
        pieces.emplace_back(one.part(y, high, z, deep), other.part(y, high, z, deep));
      }
    }
  }
  return pieces;
}

// Pieces that the driver's rectangle commands take, or single rows: as few as can be.
inline RectanglePairs pieces_for_driver(const Rectangle& one, const Rectangle& other) {
  if (one.fits_pitches() && other.fits_pitches()) return {{one, other}};
  RectanglePairs pieces;
  for (uint64_t z = 0; z < one.region[2]; ++z) {
    const Rectangle a = one.slice(z), b = other.slice(z);
    if (a.fits_pitches() && b.fits_pitches()) {
      pieces.emplace_back(a, b);
      continue;
    }
    const RectanglePairs rows = rows_of(a, b);
    pieces.insert(pieces.end(), rows.begin(), rows.end());
  }
  return pieces;
}

}  // namespace samcl
