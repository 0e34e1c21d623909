#include "libsamcl/cost/kernel_times.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(KernelTimes, ExpectsForOtherSizesOfAClassWhatOneTook) {
  KernelTimes times;
  EXPECT_EQ(times.expect(1024), 0u);
  times.took(1024, 2048);
  EXPECT_EQ(times.expect(1024), 2048u);
  EXPECT_EQ(times.expect(1500), 3000u);
  EXPECT_EQ(times.expect(2048), 0u);
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
