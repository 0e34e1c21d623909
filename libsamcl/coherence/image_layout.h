// The pixels of an image as bytes of a Storage, row after row and slice after slice. Layers of a 1D array are rows,
// layers of a 2D array are slices; what a kind of image does not have counts one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/coherence/directory.h"

namespace samcl {

struct ImageLayout {
  uint64_t pixel = 1;                         // bytes
  uint64_t width = 1, height = 1, depth = 1;  // pixels, rows, slices
  uint64_t row_pitch = 1, slice_pitch = 1;    // bytes

  // Without gaps between rows and slices.
  static ImageLayout packed(uint64_t pixel, uint64_t width, uint64_t height, uint64_t depth) {
    return {pixel, width, height, depth, pixel * width, pixel * width * height};
  }
  // From the first byte to the last.
  uint64_t bytes() const { return (depth - 1) * slice_pitch + (height - 1) * row_pitch + width * pixel; }
};

// A block of pixels, as image commands name it, that lies in one run of bytes.
struct ImageBlock {
  std::array<size_t, 3> origin{}, region{};  // pixels, rows, slices
  Range range;
};

// The fewest blocks that make up a range of whole pixels of a packed image, in order: at most five.
std::vector<ImageBlock> blocks_of(const ImageLayout& image, Range range);

// Ranges of whole pixels, in order, as rectangles: parts of rows that lie one under another and slices of these that
// lie one behind another are one, at the image's pitches; what else there is are runs.
std::vector<Rectangle> rectangles_of(const ImageLayout& image, const std::vector<Range>& ranges);

}  // namespace samcl
