#include "libsamcl/device/broadcast_tree.h"

#include <gmock/gmock.h>

#include <random>

namespace samcl {
namespace {

using ::testing::ElementsAre;

std::vector<unsigned> parents(const std::vector<std::string>& machines) {
  const BroadcastTree tree(machines);
  std::vector<unsigned> all;
  for (unsigned device = 0; device < machines.size(); ++device) all.push_back(tree.parent(device));
  return all;
}

TEST(BroadcastTree, OfOneMachineIsBinomial) {
  EXPECT_THAT(parents(std::vector<std::string>(8)), ElementsAre(0, 0, 0, 1, 0, 1, 2, 3));
}

TEST(BroadcastTree, ReachesEachMachineOnce) {
  EXPECT_THAT(parents({"a", "a", "b", "b"}), ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(parents({"a", "b", "c", "d"}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(parents({"a", "b", "a", "b", "a"}), ElementsAre(0, 0, 0, 1, 0));
}

TEST(BroadcastTree, KnowsWhoIsOnOneMachine) {
  const std::vector<std::string> machines{"a", "b", "a"};
  const BroadcastTree tree(machines);
  EXPECT_EQ(tree.machine(0), only(0) | only(2));
  EXPECT_EQ(tree.machine(1), only(1));
}

// Whatever devices and machines there are: bytes come from one that has them by then, and enter no machine twice.
TEST(BroadcastTree, OfRandomMachinesCrossesBetweenThemOncePerMachine) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> machines(1 + random() % kMaxDevices);
    for (std::string& machine : machines) machine = std::to_string(random() % 6);
    const BroadcastTree tree(machines);
    size_t entered = 0;
    for (unsigned device = 1; device < machines.size(); ++device) {
      ASSERT_LT(tree.parent(device), device);
      entered += machines[tree.parent(device)] != machines[device];
    }
    std::vector<std::string> different = machines;
    std::ranges::sort(different);
    different.erase(std::unique(different.begin(), different.end()), different.end());
    ASSERT_EQ(entered, different.size() - 1);
  }
}

}  // namespace
}  // namespace samcl
