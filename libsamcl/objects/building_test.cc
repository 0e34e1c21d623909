#include "libsamcl/objects/building.h"

#include <gtest/gtest.h>

#include <memory>

namespace samcl {
namespace {

TEST(Building, WhoWaitsGoesOnWhenAllAreOver) {
  auto queued = std::make_unique<Building>(Building::By::later);
  int looks = 0;
  std::thread other;
  Building::wait_for_all([&] {
    if (++looks == 3)
      other = std::thread([&] {
        const Building here;
        queued.reset();
      });
    return true;
  });
  EXPECT_GE(looks, 3);
  EXPECT_FALSE(queued);
  other.join();
  EXPECT_FALSE(Building::since(Building::ended()));
}

TEST(Building, WhoWaitsGoesOnWhenHeMayNotWait) {
  const Building queued(Building::By::later);
  int looks = 0;
  Building::wait_for_all([&] { return ++looks < 3; });
  EXPECT_EQ(looks, 3);
}

TEST(Building, WhoBuildsDoesNotWaitForItself) {
  const Building here;
  Building::wait_for_all([] {
    ADD_FAILURE() << "it would wait for ever";
    return false;
  });
}

TEST(Building, EachIsTold) {
  static int told = 0;
  Building::tells = [] { ++told; };
  {
    const Building here;
  }
  Building::tells = nullptr;
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace samcl
