#include "libsamcl/coherence/image_layout.h"

#include <algorithm>

namespace samcl {

// At each place the largest block that begins there and does not pass the end: slices, then rows, then pixels.
std::vector<ImageBlock> blocks_of(const ImageLayout& image, Range range) {
  std::vector<ImageBlock> blocks;
  for (uint64_t at = range.begin; at < range.end;) {
    const uint64_t z = at / image.slice_pitch, y = at % image.slice_pitch / image.row_pitch,
                   x = at % image.row_pitch / image.pixel;
    const uint64_t left = range.end - at;
    ImageBlock block;
    block.origin = {x, y, z};
    if (x == 0 && y == 0 && left >= image.slice_pitch) {
      block.region = {image.width, image.height, left / image.slice_pitch};
    } else if (x == 0 && left >= image.row_pitch) {
      block.region = {image.width, std::min(left / image.row_pitch, image.height - y), 1};
    } else {
      block.region = {std::min(left / image.pixel, image.width - x), 1, 1};
    }
    const uint64_t bytes = block.region[0] * block.region[1] * block.region[2] * image.pixel;
    block.range = {at, at + bytes};
    at += bytes;
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<Rectangle> rectangles_of(const ImageLayout& image, const std::vector<Range>& ranges) {
  std::vector<Rectangle> parts;
  // The rectangle grows by another that lies `pitch` bytes behind its last in that dimension.
  const auto grows = [&](Rectangle& last, const Rectangle& next, unsigned dimension, uint64_t pitch) {
    Rectangle alike = next;
    alike.offset = last.offset;
    alike.region[dimension] = last.region[dimension];
    const bool has_pitches = last.row_pitch == image.row_pitch && last.slice_pitch == image.slice_pitch;
    const bool follows = has_pitches && alike == last && next.offset == last.offset + last.region[dimension] * pitch;
    if (follows) last.region[dimension] += next.region[dimension];
    return follows;
  };
  const auto is_part_of_row = [&](Range range) {
    return range.size() < image.row_pitch && range.begin / image.row_pitch == (range.end - 1) / image.row_pitch;
  };
  for (const Range& range : ranges) {
    if (!is_part_of_row(range)) {
      parts.push_back(Rectangle::run(range.begin, range.size()));
      continue;
    }
    const Rectangle row{range.begin, image.row_pitch, image.slice_pitch, {range.size(), 1, 1}};
    const bool begins_slice = range.begin % image.slice_pitch < image.row_pitch;
    if (parts.empty() || begins_slice || !grows(parts.back(), row, 1, image.row_pitch)) parts.push_back(row);
  }
  std::vector<Rectangle> result;
  for (const Rectangle& part : parts) {
    if (result.empty() || !grows(result.back(), part, 2, image.slice_pitch)) result.push_back(part);
  }
  return result;
}

}  // namespace samcl
