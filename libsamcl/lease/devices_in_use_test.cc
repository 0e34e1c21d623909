#include "libsamcl/lease/devices_in_use.h"

#include <gmock/gmock.h>

namespace samcl::lease {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Assignment of(uint32_t gpus, std::vector<uint32_t> devices) { return {"task", 1, gpus, std::move(devices)}; }

TEST(DevicesInUse, AllInTheirOrderIfNobodyChooses) {
  EXPECT_THAT(devices_in_use({}, {0, 1, 2}, 0), ElementsAre(0, 1, 2));
}

TEST(DevicesInUse, ModeTakesTheFirstOfTheManagersChoice) {
  EXPECT_THAT(devices_in_use(of(0, {1, 2, 0}), {0, 1, 2}, 0), ElementsAre(1, 2, 0));
  EXPECT_THAT(devices_in_use(of(2, {1, 2, 0}), {0, 1, 2}, 0), ElementsAre(1, 2));
  EXPECT_THAT(devices_in_use(of(1, {1, 2, 0}), {0, 1, 2}, 0), ElementsAre(1));
  EXPECT_THAT(devices_in_use(of(7, {1, 2, 0}), {0, 1, 2}, 0), ElementsAre(1, 2, 0));
}

TEST(DevicesInUse, ProgramsLimitBinds) {
  EXPECT_THAT(devices_in_use(of(2, {1, 2, 0}), {0, 1, 2}, 1), ElementsAre(1));
  EXPECT_THAT(devices_in_use(of(1, {1, 2, 0}), {0, 1, 2}, 2), ElementsAre(1));
  EXPECT_THAT(devices_in_use({}, {0, 1, 2}, 2), ElementsAre(0, 1));
}

TEST(DevicesInUse, GroupsDevicesHaveTheirOwnNumbers) {
  EXPECT_THAT(devices_in_use(of(0, {0, 3, 1}), {3, 1}, 0), ElementsAre(0, 1));
  EXPECT_THAT(devices_in_use(of(1, {0, 1, 3}), {3, 1}, 0), ElementsAre(1));
}

TEST(DevicesInUse, DevicesThatMayNotBeUsedAreNot) {
  EXPECT_THAT(devices_in_use(of(0, {2}), {0, 1, 2}, 0), ElementsAre(2));
}

TEST(DevicesInUse, ChoiceOfAnotherGroupIsNoneForThisOne) {
  EXPECT_THAT(devices_in_use(of(1, {0, 2}), {3, 1}, 0), ElementsAre(0));
  EXPECT_THAT(devices_in_use(of(1, {0}), {}, 0), IsEmpty());
}

}  // namespace
}  // namespace samcl::lease
