#include "libsamcl/cost/moving.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

// Launches that each would save 10, until bytes are moved, which takes 100.
int until_moved(Moving& moving) {
  int launches = 1;
  while (!moving.pays(10, 100)) ++launches;
  return launches;
}

TEST(Moving, PaysOnceLaunchesWouldHaveSavedAsMuch) {
  Moving moving;
  EXPECT_EQ(until_moved(moving), 10);
}

TEST(Moving, MustWinEverMoreAfterTimesInVain) {
  Moving moving;
  until_moved(moving);
  EXPECT_EQ(until_moved(moving), 40);
  EXPECT_EQ(until_moved(moving), 160);
  moving.stays();
  EXPECT_EQ(until_moved(moving), 10);
}

TEST(Moving, NeverPaysWhereNothingIsSaved) {
  Moving moving;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(moving.pays(0, 100));
}

}  // namespace
}  // namespace samcl
