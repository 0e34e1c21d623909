#include "libsamcl/cost/width.h"

#include <gmock/gmock.h>

#include <array>

namespace samcl {
namespace {

// What a launch costs on two, three and four devices.
using CostsOnThree = std::array<uint64_t, 3>;

struct WidthTest : ::testing::Test {
  static constexpr uint64_t kMs = 1'000'000;
  Width width{4};
  bool add(const CostsOnThree& costs, uint64_t moving_ns = 0) { return width.add(costs, moving_ns); }
};

TEST_F(WidthTest, ConsidersSomeNumbersAndAll) {
  EXPECT_THAT(width.all(), ::testing::ElementsAre(2u, 3u, 4u));
  EXPECT_THAT(Width(3).all(), ::testing::ElementsAre(2u, 3u));
  EXPECT_THAT(Width(5).all(), ::testing::ElementsAre(2u, 3u, 4u, 5u));
  EXPECT_THAT(Width(16).all(), ::testing::ElementsAre(2u, 3u, 4u, 6u, 8u, 12u, 16u));
  EXPECT_THAT(Width(2).all(), ::testing::ElementsAre(2u));
  EXPECT_THAT(Width(1).all(), ::testing::ElementsAre(1u));
}

TEST_F(WidthTest, BeginsWithAll) { EXPECT_EQ(width.now(), 4u); }

TEST_F(WidthTest, TakesWhatWouldHaveSavedMoreThanItErrs) {
  EXPECT_FALSE(add({40'000, 90'000, 90'000}));
  EXPECT_FALSE(add({40'000, 90'000, 90'000}));
  EXPECT_TRUE(add({40'000, 90'000, 90'000})) << "150 us were lost";
  EXPECT_EQ(width.now(), 2u);
}

TEST_F(WidthTest, TakesTheBestOfThem) {
  EXPECT_TRUE(add({3 * kMs, 2 * kMs, 4 * kMs}));
  EXPECT_EQ(width.now(), 3u);
}

TEST_F(WidthTest, BytesHaveToBeWorthMoving) {
  for (int launch = 0; launch < 10; ++launch) EXPECT_FALSE(add({kMs, 2 * kMs, 2 * kMs}, 10 * kMs));
  EXPECT_TRUE(add({kMs, 2 * kMs, 2 * kMs}, 10 * kMs));
}

TEST_F(WidthTest, WhatIsCheaperHereMakesUpForWhatIsLost) {
  EXPECT_FALSE(add({kMs, 2 * kMs, 2 * kMs}, kMs));
  EXPECT_FALSE(add({9 * kMs, 9 * kMs, kMs}, kMs));
  EXPECT_FALSE(add({kMs, 2 * kMs, 2 * kMs}, kMs)) << "nothing is saved up";
  EXPECT_TRUE(add({kMs, 2 * kMs, 2 * kMs}, kMs));
}

TEST_F(WidthTest, GoingBackAndForthHasToSaveEverMore) {
  EXPECT_TRUE(add({kMs, 2 * kMs, 2 * kMs}));
  EXPECT_FALSE(add({300'000, 300'000, 0})) << "300 us";
  EXPECT_TRUE(add({300'000, 300'000, 0})) << "600";
  EXPECT_FALSE(add({0, kMs, kMs})) << "1 ms";
}

TEST_F(WidthTest, WhatFailedIsNotTakenAgain) {
  EXPECT_TRUE(width.failed());
  EXPECT_EQ(width.now(), 3u);
  for (int launch = 0; launch < 100; ++launch) EXPECT_FALSE(add({9 * kMs, 9 * kMs, kMs}));
  EXPECT_TRUE(width.failed());
  EXPECT_EQ(width.now(), 2u);
  EXPECT_FALSE(width.failed()) << "there are no fewer";
  for (int launch = 0; launch < 100; ++launch) EXPECT_FALSE(add({9 * kMs, 1, 1}));
  EXPECT_EQ(width.now(), 2u);
}

TEST(Width, OfTwoDevicesStays) {
  Width width(2);
  EXPECT_FALSE(width.add(std::array<uint64_t, 1>{1'000'000}, 0));
  EXPECT_FALSE(width.failed());
  EXPECT_EQ(width.now(), 2u);
}

}  // namespace
}  // namespace samcl
