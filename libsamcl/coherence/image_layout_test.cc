#include "libsamcl/coherence/image_layout.h"

#include <gtest/gtest.h>

#include <random>

namespace samcl {
namespace {

const ImageLayout kVolume = ImageLayout::packed(4, 10, 6, 3);

TEST(ImageBlocks, WholeImageIsOne) {
  const auto blocks = blocks_of(kVolume, {0, kVolume.bytes()});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].origin, (std::array<size_t, 3>{0, 0, 0}));
  EXPECT_EQ(blocks[0].region, (std::array<size_t, 3>{10, 6, 3}));
}

TEST(ImageBlocks, PartOfARowIsOne) {
  const auto blocks = blocks_of(kVolume, {240 + 40 + 8, 240 + 40 + 20});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].origin, (std::array<size_t, 3>{2, 1, 1}));
  EXPECT_EQ(blocks[0].region, (std::array<size_t, 3>{3, 1, 1}));
}

TEST(ImageBlocks, RaggedEndsAreRowsOfTheirOwn) {
  const auto blocks = blocks_of(kVolume, {8, 3 * 40 + 4});
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].region, (std::array<size_t, 3>{10, 2, 1}));
  EXPECT_EQ(blocks[2].region, (std::array<size_t, 3>{1, 1, 1}));
}

TEST(ImageBlocks, NothingHasNone) { EXPECT_TRUE(blocks_of(kVolume, {16, 16}).empty()); }

TEST(ImageBlocks, CoverAnyRangeOnceInOrderWithAtMostFive) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto upto = [&](uint64_t most) { return std::uniform_int_distribution<uint64_t>(1, most)(random); };
  for (int i = 0; i < 2000; ++i) {
    const ImageLayout image = ImageLayout::packed(uint64_t{1} << (upto(5) - 1), upto(9), upto(7), upto(5));
    const uint64_t pixels = image.bytes() / image.pixel;
    const uint64_t begin = upto(pixels) - 1, end = begin + upto(pixels - begin);
    const Range range{begin * image.pixel, end * image.pixel};
    const auto blocks = blocks_of(image, range);
    EXPECT_LE(blocks.size(), 5u);
    uint64_t at = range.begin;
    for (const ImageBlock& block : blocks) {
      EXPECT_EQ(block.range.begin, at);
      EXPECT_EQ(block.origin[2] * image.slice_pitch + block.origin[1] * image.row_pitch + block.origin[0] * image.pixel,
                at);
      EXPECT_EQ(block.region[0] * block.region[1] * block.region[2] * image.pixel, block.range.size());
      EXPECT_LE(block.origin[0] + block.region[0], image.width);
      EXPECT_LE(block.origin[1] + block.region[1], image.height);
      EXPECT_LE(block.origin[2] + block.region[2], image.depth);
      at = block.range.end;
    }
    EXPECT_EQ(at, range.end);
  }
}

std::vector<Range> rows_of_part(const ImageLayout& image, std::array<uint64_t, 3> origin,
                                std::array<uint64_t, 3> region) {
  std::vector<Range> rows;
  for (uint64_t z = origin[2]; z < origin[2] + region[2]; ++z) {
    for (uint64_t y = origin[1]; y < origin[1] + region[1]; ++y) {
      const uint64_t begin = z * image.slice_pitch + y * image.row_pitch + origin[0] * image.pixel;
      rows.push_back({begin, begin + region[0] * image.pixel});
    }
  }
  return rows;
}

TEST(ImageRectangles, RowsOfAPartAreOne) {
  const auto found = rectangles_of(kVolume, rows_of_part(kVolume, {2, 1, 0}, {5, 4, 3}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Rectangle{40 + 8, 40, 240, {20, 4, 3}}));
  EXPECT_EQ(rectangles_of(kVolume, rows_of_part(kVolume, {2, 0, 1}, {5, 6, 2})).size(), 1u);
  EXPECT_EQ(rectangles_of(kVolume, rows_of_part(kVolume, {9, 5, 0}, {1, 1, 3})).size(), 1u);
}

TEST(ImageRectangles, RunsStayAndWhatDiffersIsApart) {
  EXPECT_EQ(rectangles_of(kVolume, {{0, 720}}), std::vector{Rectangle::run(0, 720)});
  EXPECT_EQ(rectangles_of(kVolume, {{8, 20}, {48, 64}}).size(), 2u) << "rows of two lengths";
  EXPECT_EQ(rectangles_of(kVolume, {{208, 220}, {248, 260}}).size(), 2u) << "the next row is another slice's";
}

// The bytes of all rectangles, row by row, are those of all ranges, once.
TEST(ImageRectangles, CoverAnyRangesOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](uint64_t end) { return std::uniform_int_distribution<uint64_t>(0, end - 1)(random); };
  for (int i = 0; i < 2000; ++i) {
    const ImageLayout image = ImageLayout::packed(uint64_t{1} << below(3), 1 + below(6), 1 + below(5), 1 + below(4));
    std::vector<Range> ranges;
    for (uint64_t at = 0; at < image.bytes();) {
      const uint64_t size = std::min((1 + below(8)) * image.pixel, image.bytes() - at);
      if (below(2)) ranges.push_back({at, at + size});
      at += size + below(3) * image.pixel;
    }
    if (below(2)) {
      const std::array<uint64_t, 3> origin{below(image.width), below(image.height), below(image.depth)};
      ranges = rows_of_part(image, origin,
                            {1 + below(image.width - origin[0]), 1 + below(image.height - origin[1]),
                             1 + below(image.depth - origin[2])});
    }
    std::vector<int> wanted(image.bytes()), found(image.bytes());
    for (const Range& range : ranges)
      for (uint64_t at = range.begin; at < range.end; ++at) ++wanted[at];
    for (const Rectangle& rows : rectangles_of(image, ranges)) {
      EXPECT_TRUE(rows.is_run() || (rows.row_pitch == image.row_pitch && rows.slice_pitch == image.slice_pitch));
      rows.for_each_row([&](uint64_t, Range row) {
        for (uint64_t at = row.begin; at < row.end; ++at) ++found[at];
      });
    }
    ASSERT_EQ(found, wanted) << "image " << i;
  }
}

}  // namespace
}  // namespace samcl
