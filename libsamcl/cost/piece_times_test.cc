#include "libsamcl/cost/piece_times.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

constexpr uint64_t kSlice = 500'000;

struct PieceTimesTest : ::testing::Test {
  PieceTimes times;
};

TEST_F(PieceTimesTest, NothingIsKnownAtFirst) {
  EXPECT_EQ(times.expect(100), 0u);
  EXPECT_EQ(times.fitting(kSlice), 0u);
}

TEST_F(PieceTimesTest, TheLessOfTheLastTwoOfASizeCounts) {
  times.took(100, 8'000);
  times.took(100, 5'000'000);  // something else ran
  EXPECT_EQ(times.expect(100), 8'000u);
  times.took(100, 6'000);
  EXPECT_EQ(times.expect(100), 6'000u);
  times.took(100, 9'000);
  times.took(100, 9'000);
  EXPECT_EQ(times.expect(100), 9'000u) << "the kernel has changed";
}

TEST_F(PieceTimesTest, OtherSizesTakeAtMostWhatEachKnownOneSays) {
  times.took(100, 10'000);
  EXPECT_EQ(times.expect(10), 10'000u);
  EXPECT_EQ(times.expect(1000), 100'000u);
  times.took(10'000, 30'000);
  EXPECT_EQ(times.expect(1000), 30'000u) << "most of what the small one took is not its work-items'";
  EXPECT_EQ(times.expect(10), 10'000u);
}

// A sum of many numbers halves its size from launch to launch: each of its sizes is known for itself.
TEST_F(PieceTimesTest, SizesThatTakeTurnsDoNotMixUp) {
  for (int round = 0; round < 3; ++round) {
    for (uint64_t items = 1; items <= 1 << 20; items *= 2) times.took(items, 4'000 + items / 2);
  }
  EXPECT_EQ(times.expect(1), 4'000u);
  EXPECT_EQ(times.expect(1 << 10), 4'512u);
  EXPECT_EQ(times.expect(1 << 20), 528'288u);
}

TEST_F(PieceTimesTest, WhatFitsIsScaledFromWhatWasMeasured) {
  times.took(1000, 100'000);
  EXPECT_EQ(times.fitting(kSlice), 5'000u);
  EXPECT_EQ(times.fitting(50'000), 500u);
}

// What a short piece took is mostly what launching costs.
TEST_F(PieceTimesTest, WhatFitsGrowsInSteps) {
  uint64_t items = 10;
  int steps = 0;
  for (; items < 1'000'000; ++steps) {
    times.took(items, 6'000 + items / 4);
    items = times.fitting(kSlice);
  }
  EXPECT_EQ(steps, 6);
}

TEST_F(PieceTimesTest, WithAMarginWhatFitsGrowsAtOnce) {
  times.took(10, 6'000);
  EXPECT_EQ(times.fitting(20'000'000, 16), 2'083u);
  EXPECT_EQ(times.fitting(kSlice, 16), 80u) << "no fewer than without";
}

TEST_F(PieceTimesTest, NoWorkItemFitsLessThanOnce) {
  times.took(1, 50 * kSlice);
  EXPECT_EQ(times.fitting(kSlice), 1u);
}

TEST_F(PieceTimesTest, TimesAreWantedNowAndThenAndInDoubt) {
  int wanted = 0;
  for (int i = 0; i < 639; ++i) wanted += times.wants_time();
  EXPECT_EQ(wanted, 10);
  times.doubt();
  EXPECT_TRUE(times.wants_time());
  EXPECT_FALSE(times.wants_time());
  times.took(100, 1'000);
  times.took(100, 10'000);
  EXPECT_TRUE(times.wants_time()) << "ten times as long: once more";
}

}  // namespace
}  // namespace samcl
