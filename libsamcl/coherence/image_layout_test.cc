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

}  // namespace
}  // namespace samcl
