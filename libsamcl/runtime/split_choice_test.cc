#include "libsamcl/runtime/split_choice.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace samcl {
namespace {

constexpr uint64_t kItems = 1 << 20;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kUs = 1'000;

// Enough launches to settle after a change and to be compared.
constexpr int kEnough = 4;
// The same on one device, where the program's other kernels may have to follow first.
constexpr int kEnoughOnOne = 12;
// More than any review waits for.
constexpr int kVeryMany = 2'000;

struct SplitChoiceTest : ::testing::Test {
  SplitChoice choice;

  void split(int launches, uint64_t total_ns, uint64_t computing_ns, bool moved = true) {
    for (int i = 0; i < launches; ++i)
      if (choice.wants_time(kItems)) choice.split_took(kItems, total_ns, computing_ns, moved);
  }
  void whole(int launches, uint64_t total_ns) {
    for (int i = 0; i < launches; ++i)
      if (choice.wants_time(kItems)) choice.whole_took(kItems, total_ns);
  }
  bool splits() const { return choice.split(kItems); }
};

TEST_F(SplitChoiceTest, KernelsAreSplitAtFirst) { EXPECT_TRUE(splits()); }

TEST_F(SplitChoiceTest, SplittingThatSavesTimeStays) {
  split(kVeryMany, 6 * kMs, 10 * kMs);
  EXPECT_TRUE(splits());
}

TEST_F(SplitChoiceTest, FirstLaunchAndOneOutlierDecideNothing) {
  split(1, 500 * kMs, kMs);
  split(2, 6 * kMs, 10 * kMs);
  split(1, 500 * kMs, kMs);
  split(2, 6 * kMs, 10 * kMs);
  EXPECT_TRUE(splits());
}

TEST_F(SplitChoiceTest, KernelThatMovesMoreThanItComputesIsTriedWhole) {
  split(kEnough, 20 * kMs, 2 * kMs);
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, KernelWithSomeLaunchesThatMoveMuchIsTriedWhole) {
  for (int i = 0; i < 8; ++i) {
    split(1, 100 * kUs, 20 * kUs);
    split(1, 12 * kUs, 20 * kUs, false);
  }
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, KernelWithAFewLaunchesThatMoveVeryMuchIsTriedWholeAndStaysSo) {
  for (int i = 0; i < 20; ++i) {
    split(1, 700 * kUs, 20 * kUs);
    split(19, 12 * kUs, 20 * kUs, false);
  }
  EXPECT_FALSE(splits());
  whole(500, 17 * kUs);
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, WhatWasFoundAgainAndAgainIsDoubtedLessOften) {
  int reviews = 0;
  bool was_split = true;
  for (int i = 0; i < 100'000; ++i) {
    reviews += splits() && !was_split ? 1 : 0;
    was_split = splits();
    splits() ? split(1, 100 * kUs, 20 * kUs) : whole(1, 17 * kUs);
  }
  EXPECT_GE(reviews, 3);
  EXPECT_LE(reviews, 12);
}

TEST_F(SplitChoiceTest, KernelWithSomeLaunchesThatMoveALittleStaysSplit) {
  for (int i = 0; i < kVeryMany; ++i) {
    split(1, 25 * kUs, 20 * kUs);
    split(3, 12 * kUs, 20 * kUs, false);
  }
  EXPECT_TRUE(splits());
}

TEST_F(SplitChoiceTest, StaysWholeWhereThatIsFaster) {
  split(kEnough, 20 * kMs, 2 * kMs);
  whole(kEnoughOnOne + 100, 2 * kMs);
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, FirstLaunchesOnOneDeviceMayMoveWhatOthersLeft) {
  split(kEnough, 20 * kMs, 2 * kMs);
  whole(8, 40 * kMs);
  whole(100, 2 * kMs);
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, IsSplitAgainWhereWholeIsSlower) {
  split(kEnough, 20 * kMs, 2 * kMs);
  whole(kEnoughOnOne, 30 * kMs);
  EXPECT_TRUE(splits());
  split(100, 20 * kMs, 2 * kMs);
  EXPECT_TRUE(splits()) << "whole was tried and was slower";
}

TEST_F(SplitChoiceTest, OtherWayIsTriedAgainInTime) {
  split(kEnough, 20 * kMs, 2 * kMs);
  int launches = 0;
  for (; !splits() && launches < kVeryMany; ++launches) whole(1, 2 * kMs);
  EXPECT_LT(launches, kVeryMany) << "the program may have changed its ways";
  split(kEnough, 20 * kMs, 2 * kMs);
  EXPECT_FALSE(splits()) << "it has not";
}

TEST_F(SplitChoiceTest, WholeThatWasSlowerIsReviewedInTime) {
  split(kEnough, 20 * kMs, 2 * kMs);
  whole(kEnoughOnOne, 30 * kMs);
  ASSERT_TRUE(splits());
  int launches = 0;
  for (; splits() && launches < kVeryMany; ++launches) split(1, 20 * kMs, 2 * kMs);
  EXPECT_LT(launches, kVeryMany);
}

TEST_F(SplitChoiceTest, LongLaunchThatMovedNothingIsNotSuspected) {
  split(kVeryMany, 20 * kMs, 2 * kMs, false);
  EXPECT_TRUE(splits());
}

TEST_F(SplitChoiceTest, ShortLaunchIsSuspectedThoughItMovedNothing) {
  split(kEnough, 40 * kUs, 2 * kUs, false);
  EXPECT_FALSE(splits());
}

TEST_F(SplitChoiceTest, OtherSizesAreOtherCases) {
  split(kEnough, 20 * kMs, 2 * kMs);
  EXPECT_FALSE(choice.split(kItems + kItems / 2)) << "within a factor of two";
  EXPECT_TRUE(choice.split(kItems * 2));
  EXPECT_TRUE(choice.split(kItems / 2));
}

TEST_F(SplitChoiceTest, AnySizeIsACase) {
  for (uint64_t items : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
    SplitChoice fresh;
    EXPECT_TRUE(fresh.split(items));
    for (int i = 0; i < kEnough; ++i) fresh.split_took(items, 20 * kMs, 2 * kMs, true);
    EXPECT_FALSE(fresh.split(items)) << items;
  }
}

TEST_F(SplitChoiceTest, LaunchesThatWereDecidedBeforeAChangeDoNotCount) {
  split(kEnough, 20 * kMs, 2 * kMs);
  ASSERT_FALSE(splits());
  split(kVeryMany, kMs, 2 * kMs);
  EXPECT_FALSE(splits());
  whole(kEnoughOnOne, 30 * kMs);
  ASSERT_TRUE(splits());
  whole(kVeryMany, kUs);
  EXPECT_TRUE(splits());
}

TEST_F(SplitChoiceTest, ManyThreadsMayLaunchAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) splits() ? split(1, 20 * kMs, 2 * kMs) : whole(1, 2 * kMs);
    });
  for (std::thread& thread : threads) thread.join();
  int launches = 0;
  for (; splits() && launches < kVeryMany; ++launches) split(1, 20 * kMs, 2 * kMs);
  EXPECT_LT(launches, kVeryMany) << "and it still finds what is faster";
}

}  // namespace
}  // namespace samcl
