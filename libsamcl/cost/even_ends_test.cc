#include "libsamcl/cost/even_ends.h"

#include <gtest/gtest.h>

#include <array>

namespace samcl {
namespace {

using Parts = std::array<uint64_t, 2>;

TEST(EvenEnds, AreNotExpectedOfWhatIsNotKnown) {
  EvenEnds ends;
  EXPECT_FALSE(ends.are_expected());
  ends.took(Parts{0, 0});
  EXPECT_FALSE(ends.are_expected());
}

TEST(EvenEnds, AreExpectedWhenSomeLaunchesHaveThem) {
  EvenEnds ends;
  ends.took(Parts{100, 100});
  EXPECT_FALSE(ends.are_expected()) << "one may be by chance";
  for (int i = 0; i < 12; ++i) ends.took(Parts{1000, 980});
  EXPECT_TRUE(ends.are_expected());
}

TEST(EvenEnds, AreNotExpectedOfWorkThatLiesElsewhereEachTime) {
  EvenEnds ends;
  for (int i = 0; i < 40; ++i) {
    ends.took(i % 4 == 0 ? Parts{100, 20} : Parts{100, 100});
    EXPECT_FALSE(ends.are_expected()) << i;
  }
}

TEST(EvenEnds, AreNotExpectedAnyMoreOnceADeviceIsSlower) {
  EvenEnds ends;
  for (int i = 0; i < 20; ++i) ends.took(Parts{100, 100});
  ASSERT_TRUE(ends.are_expected());
  ends.took(Parts{200, 100});
  EXPECT_FALSE(ends.are_expected());
}

}  // namespace
}  // namespace samcl
