#include "analysis/model/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

using testing::ElementsAre;

// A task of one GPU stage on four bound devices, the more urgent first; every subtask takes `worst` of 100.
Task on_gpu(const std::string& name, Time worst, std::vector<int> devices = {}) {
  return {name, 100, 100, {}, {{Resource::gpu, std::vector<Time>(4, worst), {}}}, std::move(devices)};
}

Placement place(const std::vector<Task>& tasks, const Modes& modes) {
  TaskSet set{{1, 4, 4, true}, tasks};
  EXPECT_TRUE(check(set)) << check(set).error().message;
  EXPECT_TRUE(check(set, modes));
  return place_devices(set, priority_order(set), modes);
}

TEST(Placement, NothingIsPlacedWhereDevicesAreNotBound) {
  TaskSet set{{1, 1, 4}, {on_gpu("a", 10)}};
  EXPECT_THAT(place_devices(set, priority_order(set), Modes{2}), ElementsAre(ElementsAre()));
}

TEST(Placement, TasksGoWhereMoreUrgentOnesLoadLeast) {
  EXPECT_THAT(
      place({on_gpu("a", 30), on_gpu("b", 20), on_gpu("c", 10), on_gpu("d", 10), on_gpu("e", 5)}, {1, 2, 1, 1, 2}),
      ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3), ElementsAre(3), ElementsAre(1, 2)));
}

TEST(Placement, TheModeOfAllGpusTakesThemAll) {
  EXPECT_THAT(place({on_gpu("a", 30), on_gpu("b", 20)}, {1, 4}), ElementsAre(ElementsAre(0), ElementsAre(0, 1, 2, 3)));
}

TEST(Placement, ATasksOwnListWinsAndItsOrderIsKept) {
  EXPECT_THAT(place({on_gpu("a", 90), on_gpu("b", 20, {3, 0, 1})}, {1, 2}),
              ElementsAre(ElementsAre(2), ElementsAre(3, 0)));
}

TEST(Placement, TheBusierOfTheLinkAndGpuInUseCounts) {
  TaskSet set{{1, 2, 2, true},
              {{"link", 100, 100, {}, {{Resource::link, {50, 50}, {}}}},
               {"gpu", 100, 100, {}, {{Resource::gpu, {40, 40}, {}}}},
               {"gpu too", 100, 100, {}, {{Resource::gpu, {30, 30}, {}}}},
               {"both", 100, 100, {}, {{Resource::link, {20, 20}, {}}, {Resource::gpu, {5, 5}, {}}}}}};
  EXPECT_THAT(place_devices(set, priority_order(set), Modes{1, 1, 1, 1}),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0), ElementsAre(1)));
}

TEST(Placement, DoesNotDependOnModesOfLessUrgentTasks) {
  const std::vector<Task> tasks = {on_gpu("a", 30), on_gpu("b", 20), on_gpu("c", 50, {0, 1, 2})};
  const Placement one = place(tasks, {1, 1, 1}), other = place(tasks, {1, 1, 3});
  EXPECT_EQ(one[0], other[0]);
  EXPECT_EQ(one[1], other[1]);
}

}  // namespace
}  // namespace samcl::analysis
