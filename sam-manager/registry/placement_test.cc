#include "sam-manager/registry/placement.h"

#include <gmock/gmock.h>

namespace samcl::registry {
namespace {

using ::testing::ElementsAre;

TEST(Placement, EmptyMachineKeepsTheProgramsOrder) {
  EXPECT_THAT(order_by_load({4, 2, 7}, 0, {}), ElementsAre(0, 1, 2));
}

TEST(Placement, TasksOfModeOneSpread) {
  EXPECT_THAT(order_by_load({0, 1}, 5, {{5, {0}}}), ElementsAre(1, 0));
  EXPECT_THAT(order_by_load({0, 1}, 5, {{5, {0}}, {5, {1}}, {5, {1}}}), ElementsAre(0, 1));
}

TEST(Placement, ProgramsNumberTheirDevicesThemselves) {
  EXPECT_THAT(order_by_load({1, 0}, 0, {{0, {0}}}), ElementsAre(0, 1));
  EXPECT_THAT(order_by_load({1, 0}, 0, {{0, {1}}}), ElementsAre(1, 0));
}

TEST(Placement, LessUrgentTenantsDelayNobody) {
  const std::vector<Tenant> tenants = {{1, {0}}, {1, {0}}, {9, {1}}};
  EXPECT_THAT(order_by_load({0, 1}, 5, tenants), ElementsAre(0, 1)) << "one more urgent against two less urgent";
  EXPECT_THAT(order_by_load({0, 1}, 1, tenants), ElementsAre(1, 0)) << "one against two";
}

TEST(Placement, AmongEquallyDelayedDevicesTheEmptierOneIsBetter) {
  EXPECT_THAT(order_by_load({0, 1}, 5, {{1, {0}}}), ElementsAre(1, 0));
}

TEST(Placement, ProgramsThatUseAllDevicesHaveDifferentFirstOnes) {
  EXPECT_THAT(order_by_load({0, 1, 2}, 0, {{0, {0, 1, 2}}}), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_by_load({0, 1, 2}, 0, {{0, {0, 1, 2}}, {0, {1, 2, 0}}}), ElementsAre(2, 0, 1));
}

TEST(Placement, WishNamesDevicesByPositionOrName) {
  const std::vector<std::string> announced = {"pocl:0", "pocl:1", "nvidia:0000:3b:00.0"};
  EXPECT_THAT(affine_positions({"1"}, announced), ElementsAre(1));
  EXPECT_THAT(affine_positions({"nvidia:0000:3b:00.0", "0"}, announced), ElementsAre(0, 2));
  EXPECT_THAT(affine_positions({"1", "pocl:1", "7"}, announced), ElementsAre(1));
}

TEST(Placement, WishForNothingThatExistsIsNone) {
  EXPECT_THAT(affine_positions({"7", "amd:0"}, {"a", "b"}), ElementsAre(0, 1));
  EXPECT_THAT(affine_positions({}, {"a", "b"}), ElementsAre(0, 1));
}

TEST(Placement, ZeroGpusAreAll) {
  EXPECT_EQ(fewer_gpus(0, 0), 0u);
  EXPECT_EQ(fewer_gpus(0, 3), 3u);
  EXPECT_EQ(fewer_gpus(3, 0), 3u);
  EXPECT_EQ(fewer_gpus(3, 2), 2u);
}

}  // namespace
}  // namespace samcl::registry
