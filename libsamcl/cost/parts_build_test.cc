#include "libsamcl/cost/parts_build.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

TEST(PartsBuild, WaitsUntilTheKernelHasTakenAsLong) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 49 * kMillisecond, 1 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 50 * kMillisecond, 1 * kMillisecond), PartsBuild::beside);
}

TEST(PartsBuild, BeginsEarlyWhereTheFirstDeviceWaitsForNothing) {
  EXPECT_EQ(when_to_build_parts(48 * kMillisecond, 5 * kMillisecond, 1 * kMillisecond, 0, true), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(48 * kMillisecond, 6 * kMillisecond, 1 * kMillisecond, 0, true), PartsBuild::beside);
}

TEST(PartsBuild, HoldsUpOnlyALaunchThatSavesMore) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 99 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 100 * kMillisecond), PartsBuild::now);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 500 * kMillisecond, 99 * kMillisecond), PartsBuild::beside);
}

TEST(PartsBuild, BeginsWithTheFirstOfManyLaunchesAndHoldsUpNone) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond, 99 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond, 100 * kMillisecond), PartsBuild::beside);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 100 * kMillisecond, 100 * kMillisecond), PartsBuild::now);
}

TEST(PartsBuild, IsPaidForByAllProcessesSinceTheLastUntilTwoHaveBuilt) {
  for (const uint32_t built : {0, 1})
    EXPECT_EQ(rent(10 * kMillisecond, 45 * kMillisecond, 10 * kMillisecond, built), 55 * kMillisecond);
  EXPECT_EQ(rent(10 * kMillisecond, 45 * kMillisecond, 10 * kMillisecond, 2), 0u) << "as short as ever";
  EXPECT_EQ(rent(0, 45 * kMillisecond, 10 * kMillisecond, 2), 0u);
  EXPECT_EQ(rent(70 * kMillisecond, 0, 10 * kMillisecond, 2), 60 * kMillisecond) << "it goes on for longer this time";
}

TEST(PartsBuild, ThatWasLongOnceIsTriedAgain) {
  EXPECT_EQ(doubted(800 * kMillisecond, 1), 800 * kMillisecond) << "rent says when";
  const uint64_t to_come = 200 * kMillisecond;
  uint64_t build = 800 * kMillisecond;
  int processes = 0;
  while (when_to_build_parts(build, rent(0, 0, to_come, 2), 1 * kMillisecond, to_come) == PartsBuild::not_yet) {
    build = doubted(build, 2);
    ++processes;
  }
  EXPECT_EQ(processes, 16);
}

TEST(PartsBuild, DevicesAreOpenedForAWhileAfterTheyWereOfUse) {
  uint64_t most = most_promising(100 * kMillisecond, 0, true);
  int processes = 0;
  for (; most >= kWorthOpening; ++processes) most = most_promising(1 * kMillisecond, most, true);
  EXPECT_EQ(processes, 4);
  EXPECT_EQ(most_promising(1 * kMillisecond, most, false), most) << "nothing was opened for it";
  EXPECT_GE(most_promising(kWorthOpening, most, false), kWorthOpening) << "they are again";
}

TEST(PartsBuild, TakesPartsThatCostNothing) { EXPECT_EQ(when_to_build_parts(0, 0, 0), PartsBuild::now); }

}  // namespace
}  // namespace samcl
