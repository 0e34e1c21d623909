#include "libsamcl/cost/ways.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

using Way = Ways::Way;
constexpr uint64_t kMs = 1'000'000;

struct WaysTest : ::testing::Test {
  Ways ways;
  uint64_t now = 0;
  // A sequence of one launch that takes so long, and what it costs as predicted.
  void sequence(uint64_t took, LaunchCosts costs, uint64_t going_over = 0) {
    ways.add(costs, going_over);
    ways.planned(1000, now);
    now += took;
    ways.waited(now);
  }
};

TEST_F(WaysTest, ProgramsBeginWhole) { EXPECT_EQ(ways.taken(), Way::whole); }

TEST_F(WaysTest, GoesOverWhenMoreWasLostThanGoingOverCosts) {
  ways.add({10 * kMs, 5 * kMs}, 12 * kMs);
  ways.add({10 * kMs, 5 * kMs}, 12 * kMs);
  EXPECT_EQ(ways.taken(), Way::whole);
  EXPECT_EQ(ways.lost(), 10 * kMs);
  ways.add({10 * kMs, 5 * kMs}, 12 * kMs);
  EXPECT_EQ(ways.taken(), Way::split);
  EXPECT_EQ(ways.lost(), 0u);
}

TEST_F(WaysTest, WhatIsCheaperHereMakesUpForWhatIsLost) {
  ways.add({10 * kMs, 5 * kMs}, 100 * kMs);
  ways.add({1 * kMs, 3 * kMs}, 100 * kMs);
  EXPECT_EQ(ways.lost(), 3 * kMs);
  ways.add({1 * kMs, 30 * kMs}, 100 * kMs);
  EXPECT_EQ(ways.lost(), 0u) << "nothing is saved up";
}

TEST_F(WaysTest, SmallDifferencesAreNoReason) {
  ways.add({50'000, 0}, 0);
  EXPECT_EQ(ways.taken(), Way::whole);
}

TEST_F(WaysTest, DoesNotGoOverWhereItMayNot) {
  ways.add({100 * kMs, 1}, Ways::kNotHere);
  EXPECT_EQ(ways.taken(), Way::whole);
}

TEST_F(WaysTest, GoesBackWhenTheWholeWayIsCheaper) {
  ways.add({10 * kMs, 1 * kMs}, 0);
  ASSERT_EQ(ways.taken(), Way::split);
  const uint64_t epoch = ways.epoch();
  ways.add({1 * kMs, 10 * kMs}, 0);
  EXPECT_EQ(ways.taken(), Way::whole);
  EXPECT_NE(ways.epoch(), epoch);
}

TEST_F(WaysTest, PredictionsThatSendItBackAndForthDoSoSeldom) {
  int changes = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Way before = ways.taken();
    ways.add(i % 2 == 0 ? LaunchCosts{1 * kMs, kMs / 2} : LaunchCosts{1 * kMs, 20 * kMs}, 0);
    changes += ways.taken() != before;
  }
  EXPECT_LE(changes, 6);
  EXPECT_EQ(ways.taken(), Way::whole);
}

TEST_F(WaysTest, AfterASequenceThatWasFasterSplitItGoesOverAsReadilyAsBefore) {
  sequence(10 * kMs, {5 * kMs, 5 * kMs});
  ways.add({10 * kMs, 1 * kMs}, 0);
  ways.add({1 * kMs, 10 * kMs}, 0);
  ways.add({kMs, kMs - 3 * Ways::kMargin}, 0);
  EXPECT_EQ(ways.taken(), Way::whole) << "it came back for a prediction";
  ways.add({10 * kMs, 1 * kMs}, 0);
  ways.waited(++now);
  for (int i = 0; i < 3; ++i) sequence(6 * kMs, {9 * kMs, 5 * kMs});
  ways.add({1 * kMs, 10 * kMs}, 0);
  ASSERT_EQ(ways.taken(), Way::whole);
  ways.add({10 * kMs, 9 * kMs}, 0);
  EXPECT_EQ(ways.taken(), Way::split);
}

TEST_F(WaysTest, WhatWasSlowerThanBeforeTakesItBack) {
  sequence(10 * kMs, {5 * kMs, 5 * kMs});
  ways.add({10 * kMs, 1 * kMs}, 0);
  ASSERT_EQ(ways.taken(), Way::split);
  now += 1;
  ways.waited(now);
  sequence(30 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::split) << "the first may have moved everything";
  sequence(20 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::whole) << "whatever is predicted";
  sequence(10 * kMs, {100 * kMs, 1 * kMs});
  EXPECT_EQ(ways.taken(), Way::whole) << "and stays there for a while";
}

TEST_F(WaysTest, WhatWasFasterThanBeforeStays) {
  sequence(10 * kMs, {5 * kMs, 5 * kMs});
  ways.add({10 * kMs, 1 * kMs}, 0);
  ways.waited(++now);
  for (int i = 0; i < 10; ++i) sequence(6 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::split);
}

TEST_F(WaysTest, WhatWasSeenToBeFasterSplitIsUntilItWasNotTwice) {
  constexpr LaunchCosts kAlike{5 * kMs, 5 * kMs};
  sequence(10 * kMs, kAlike);
  sequence(10 * kMs, {10 * kMs, 1 * kMs});
  ASSERT_EQ(ways.taken(), Way::split);
  EXPECT_FALSE(ways.splits_faster());
  sequence(20 * kMs, kAlike);
  EXPECT_FALSE(ways.splits_faster()) << "the first one moved what was in the wrong place";
  sequence(8 * kMs, kAlike);
  EXPECT_TRUE(ways.splits_faster());
  sequence(12 * kMs, kAlike);
  sequence(8 * kMs, kAlike);
  sequence(12 * kMs, kAlike);
  EXPECT_TRUE(ways.splits_faster());
  sequence(12 * kMs, kAlike);
  EXPECT_FALSE(ways.splits_faster());
  EXPECT_EQ(ways.taken(), Way::whole);
}

TEST_F(WaysTest, OnOtherDevicesPartsAreMeasuredAnew) {
  sequence(10 * kMs, {5 * kMs, 5 * kMs});
  sequence(10 * kMs, {10 * kMs, 1 * kMs});
  for (int i = 0; i < 3; ++i) sequence(6 * kMs, {9 * kMs, 5 * kMs});
  ASSERT_TRUE(ways.splits_faster());
  const uint64_t before = ways.epoch();
  ways.parts_change();
  EXPECT_NE(ways.epoch(), before);
  EXPECT_FALSE(ways.splits_faster());
  ways.waited(++now);
  sequence(20 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::split) << "the first may have moved everything";
  sequence(20 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::whole) << "though on the devices before it was faster";
  ways.add({10 * kMs, 1 * kMs}, 0);
  EXPECT_EQ(ways.taken(), Way::whole) << "it stays there for a while";
  ways.parts_change();
  ways.add({10 * kMs, 1 * kMs}, 0);
  EXPECT_EQ(ways.taken(), Way::split);
}

TEST_F(WaysTest, WhatWasNeverSeenWholeIsHeldAgainstThePrediction) {
  ways.add({10 * kMs, 1 * kMs}, 0);
  ways.waited(++now);
  ASSERT_EQ(ways.taken(), Way::split);
  for (int i = 0; i < 2; ++i) sequence(30 * kMs, {9 * kMs, 5 * kMs});
  EXPECT_EQ(ways.taken(), Way::whole);
}

TEST_F(WaysTest, WaitingForNothingIsNoSequence) {
  for (int i = 0; i < 100; ++i) ways.waited(++now);
  EXPECT_EQ(ways.taken(), Way::whole);
}

}  // namespace
}  // namespace samcl
