#include "libsamcl/cost/parts_build.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

constexpr uint64_t kMs = 1'000'000;

TEST(PartsBuild, WaitsUntilTheKernelHasTakenAsLong) {
  EXPECT_EQ(when_to_build_parts(50 * kMs, 0, 1 * kMs), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMs, 49 * kMs, 1 * kMs), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMs, 50 * kMs, 1 * kMs), PartsBuild::beside);
}

TEST(PartsBuild, BeginsEarlyWhereTheFirstDeviceWaitsForNothing) {
  EXPECT_EQ(when_to_build_parts(48 * kMs, 5 * kMs, 1 * kMs, true), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(48 * kMs, 6 * kMs, 1 * kMs, true), PartsBuild::beside);
}

TEST(PartsBuild, HoldsUpOnlyALaunchThatSavesMore) {
  EXPECT_EQ(when_to_build_parts(50 * kMs, 0, 99 * kMs), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMs, 0, 100 * kMs), PartsBuild::now);
  EXPECT_EQ(when_to_build_parts(50 * kMs, 500 * kMs, 99 * kMs), PartsBuild::beside);
}

TEST(PartsBuild, TakesPartsThatCostNothing) { EXPECT_EQ(when_to_build_parts(0, 0, 0), PartsBuild::now); }

}  // namespace
}  // namespace samcl
