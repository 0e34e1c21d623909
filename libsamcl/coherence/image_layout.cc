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

}  // namespace samcl
