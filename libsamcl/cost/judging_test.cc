#include "libsamcl/cost/judging.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

int due(Judging& judging, uint64_t launch_ns, int launches, bool is_busy = true) {
  int count = 0;
  for (int i = 0; i < launches; ++i) {
    if (!judging.is_due(launch_ns, is_busy)) {
      judging.passed();
      continue;
    }
    ++count;
    if (judging.ns() > 0) judging.took(judging.ns());
  }
  return count;
}

TEST(Judging, IsDueForEachLaunchThatHidesIt) {
  Judging judging;
  EXPECT_EQ(due(judging, 100'000, 50), 50) << "nobody knows what it takes";
  judging.took(40'000);
  EXPECT_EQ(due(judging, 100'000, 50), 50);
}

TEST(Judging, TakesAnEighthOfTheTimeOfShorterOnes) {
  Judging judging;
  judging.took(50'000);
  EXPECT_NEAR(due(judging, 50'000, 900), 100, 1);
  EXPECT_NEAR(due(judging, 25'000, 1700), 100, 1);
}

TEST(Judging, OfLaunchesThatTheDeviceWaitsForTakesNoMore) {
  Judging judging;
  judging.took(50'000);
  EXPECT_NEAR(due(judging, 100'000, 500, false), 100, 1);
  EXPECT_EQ(due(judging, 400'000, 50, false), 50);
}

TEST(Judging, TakesLessAndLessTimeWhereItIsInVain) {
  Judging judging;
  judging.took(50'000);
  judging.found(Judging::Found::parts_cost_more);
  EXPECT_NEAR(due(judging, 50'000, 1700), 100, 1);
  for (int i = 0; i < 50; ++i) judging.found(Judging::Found::parts_cost_more);
  EXPECT_NEAR(due(judging, 50'000, 25'700), 100, 1);
  judging.found(Judging::Found::parts_cost_less);
  EXPECT_NEAR(due(judging, 50'000, 900), 100, 1) << "parts pay now";
  for (int i = 0; i < 7; ++i) judging.found(Judging::Found::moving_costs_more);
  EXPECT_NEAR(due(judging, 50'000, 900), 100, 1) << "they may pay once bytes are there";
  judging.found(Judging::Found::moving_costs_more);
  EXPECT_NEAR(due(judging, 50'000, 1700), 100, 1);
}

TEST(Judging, KnowsWhetherPartsPaidLast) {
  Judging judging;
  EXPECT_FALSE(judging.parts_pay());
  judging.found(Judging::Found::parts_cost_less);
  EXPECT_TRUE(judging.parts_pay());
  judging.found(Judging::Found::moving_costs_more);
  EXPECT_FALSE(judging.parts_pay());
}

TEST(Judging, FollowsWhatItTakesNow) {
  Judging judging;
  judging.took(1'000);
  for (int i = 0; i < 40; ++i) judging.took(50'000);
  EXPECT_NEAR(due(judging, 50'000, 900), 100, 2);
}

TEST(Judging, TheFirstTimeDoesNotCountForLong) {
  Judging judging;
  judging.took(2'000'000);
  judging.took(100'000);
  EXPECT_EQ(judging.ns(), 100'000u);
  EXPECT_EQ(due(judging, 1'000'000, 50, false), 50);
}

}  // namespace
}  // namespace samcl
