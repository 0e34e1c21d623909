#include "libsamcl/program/group_limits.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

const GroupLimits kSmall{256, {256, 128, 64}, 16 << 10, 1 << 20, false};

TEST(GroupLimits, AreAboutAWorkGroupAsAWholeAndItsDimensions) {
  EXPECT_TRUE(kSmall.fits({2, {}, {512, 128, 1}, {2, 128, 1}}, 0, 0));
  EXPECT_FALSE(kSmall.fits({2, {}, {512, 512, 1}, {1, 256, 1}}, 0, 0)) << "256 in the second dimension";
  EXPECT_FALSE(kSmall.fits({2, {}, {512, 512, 1}, {32, 16, 1}}, 0, 0)) << "512 in a work-group";
}

TEST(GroupLimits, AreAboutLocalMemoryAndBuffers) {
  const Ndrange ndrange{1, {}, {512, 1, 1}, {64, 1, 1}};
  EXPECT_TRUE(kSmall.fits(ndrange, 16 << 10, 1 << 20));
  EXPECT_FALSE(kSmall.fits(ndrange, (16 << 10) + 1, 0));
  EXPECT_FALSE(kSmall.fits(ndrange, 0, (1 << 20) + 1));
}

TEST(GroupLimits, AreAboutSmallerLastGroups) {
  const Ndrange ndrange{1, {}, {500, 1, 1}, {64, 1, 1}};
  EXPECT_FALSE(kSmall.fits(ndrange, 0, 0));
  GroupLimits other = kSmall;
  other.partial_groups = true;
  EXPECT_TRUE(other.fits(ndrange, 0, 0));
}

TEST(GroupLimits, WhereNothingIsKnownNothingFits) {
  EXPECT_FALSE(GroupLimits{}.fits({1, {}, {1, 1, 1}, {1, 1, 1}}, 0, 0));
}

}  // namespace
}  // namespace samcl
