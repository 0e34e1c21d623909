#include "libsamcl/cost/kernel_times.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(KernelTimes, NothingIsExpectedAtFirst) {
  const KernelTimes times;
  EXPECT_EQ(times.expect(1000), 0u);
}

TEST(KernelTimes, GrowsWithTheSizeWithinAFactorOfTwo) {
  KernelTimes times;
  times.took(1024, 2048);
  EXPECT_EQ(times.expect(1024), 2048u);
  EXPECT_EQ(times.expect(1536), 3072u);
  EXPECT_EQ(times.expect(2048), 0u) << "another class";
}

TEST(KernelTimes, ShorterTimesCountMore) {
  KernelTimes longer, shorter;
  for (KernelTimes* times : {&longer, &shorter}) times->took(1000, 10'000);
  longer.took(1000, 18'000);
  shorter.took(1000, 2'000);
  EXPECT_EQ(longer.expect(1000), 11'000u);
  EXPECT_EQ(shorter.expect(1000), 6'000u);
}

TEST(KernelTimes, OnlyTheFirstLaunchesAreTimedThoughNoneHasEnded) {
  KernelTimes times;
  int wanted = 0;
  for (int launch = 0; launch < 640; ++launch) wanted += times.wants_time(1000);
  EXPECT_EQ(wanted, 4 + 9) << "the first four, and from then on one of 64";
}

TEST(KernelTimes, EachSizeHasItsOwnFirst) {
  KernelTimes times;
  for (int launch = 0; launch < 10; ++launch) times.wants_time(1000);
  EXPECT_TRUE(times.wants_time(1 << 20));
}

TEST(KernelTimes, ExpectsInAnotherProcessWhatOneKnew) {
  KernelTimes one, other;
  one.took(1024, 2048);
  one.took(1 << 20, 1 << 19);
  EXPECT_EQ(one.known(), (KernelTimes::BySize{{10, 2.0}, {20, 0.5}}));
  other.recall(one.known());
  EXPECT_EQ(other.expect(1024), 2048u);
  EXPECT_EQ(other.expect(1 << 20), 1u << 19);
}

TEST(KernelTimes, StillMeasuresWhatItRecalls) {
  KernelTimes times;
  times.recall({{10, 2.0}});
  EXPECT_TRUE(times.wants_time(1024));
}

TEST(KernelTimes, PassesOverTimesThatAreNone) {
  KernelTimes times;
  times.recall({{64, 1.0}, {10, -1.0}, {11, 0.0}});
  EXPECT_TRUE(times.known().empty());
}

}  // namespace
}  // namespace samcl
