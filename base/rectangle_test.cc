#include "base/rectangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/test_seed.h"

namespace samcl {
namespace {

// Bytes as they lie in both rectangles, row after row.
std::vector<std::pair<uint64_t, uint64_t>> bytes_of(const Rectangle& one, const Rectangle& other) {
  std::vector<std::pair<uint64_t, uint64_t>> bytes;
  one.for_each_row([&](uint64_t index, Range row) {
    for (uint64_t i = 0; i < row.size(); ++i) bytes.emplace_back(row.begin + i, other.row(index) + i);
  });
  return bytes;
}

TEST(Cut, ARunIsCutAnywhere) {
  const RectanglePairs pieces = cut(Rectangle::run(100, 25), Rectangle::run(7, 25), 10);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[2].first.offset, 120u);
  EXPECT_EQ(pieces[2].second.offset, 27u);
  EXPECT_EQ(pieces[2].first.bytes(), 5u);
}

TEST(Cut, WholeSlicesGoTogetherWhereTheyFit) {
  const Rectangle box{0, 16, 128, {8, 4, 6}};
  const RectanglePairs pieces = cut(box, box.dense(), 64);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].first.region, (std::array<uint64_t, 3>{8, 4, 2}));
  EXPECT_EQ(pieces[1].first.offset, 256u);
}

TEST(Cut, ElseRowsOfOneSlice) {
  const Rectangle box{0, 16, 128, {8, 5, 2}};
  const RectanglePairs pieces = cut(box, box.dense(), 20);
  ASSERT_EQ(pieces.size(), 6u) << "2 + 2 + 1 rows of each";
  EXPECT_EQ(pieces[2].first.region, (std::array<uint64_t, 3>{8, 1, 1}));
}

TEST(Cut, PiecesAreTheSameBytesInTheSameOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<uint64_t>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    const std::array<uint64_t, 3> region{1 + below(20), 1 + below(6), 1 + below(5)};
    const auto any = [&] {
      const uint64_t row = region[0] + below(3) * below(9);
      return Rectangle{below(50), row, row * region[1] + below(2) * below(40), region};
    };
    const Rectangle one = any(), other = any();
    const uint64_t most = 1 + below(80);
    std::vector<std::pair<uint64_t, uint64_t>> found;
    for (const auto& [a, b] : cut(one, other, most)) {
      EXPECT_LE(a.bytes(), most);
      EXPECT_GT(a.bytes(), 0u);
      EXPECT_EQ(a.region, b.region);
      for (const auto& byte : bytes_of(a, b)) found.push_back(byte);
    }
    ASSERT_EQ(found, bytes_of(one, other)) << "round " << round;
  }
}

TEST(AsRectangles, RangesOfOneLengthAtOneDistanceAreRows) {
  const std::vector<Range> ranges{{0, 6}, {10, 20}, {30, 40}, {50, 60}, {65, 66}, {66, 67}, {80, 90}};
  EXPECT_EQ(as_rectangles(ranges),
            (std::vector<Rectangle>{
                Rectangle::run(0, 6), {10, 20, 60, {10, 3, 1}}, {65, 1, 2, {1, 2, 1}}, Rectangle::run(80, 10)}));
  EXPECT_TRUE(as_rectangles({}).empty());
}

TEST(AsRectangles, AreTheSameRangesInTheirOrder) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Range> ranges, found;
    uint64_t end = random() % 5;
    for (uint64_t count = random() % 20; count > 0; --count) {
      const uint64_t begin = end + random() % 3;
      ranges.push_back({begin, end = begin + 1 + random() % 2});
    }
    if (random() % 4 == 0) std::ranges::shuffle(ranges, random);
    for (const Rectangle& each : as_rectangles(ranges))
      each.for_each_row([&](uint64_t, Range row) { found.push_back(row); });
    ASSERT_EQ(found, ranges);
  }
}

}  // namespace
}  // namespace samcl
