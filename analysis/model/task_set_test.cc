#include "analysis/model/task_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskSet two_tasks() {
  TaskSet set;
  set.platform = {2, 1, 2};
  set.tasks = {{"a", 100, 90, {}, {{Resource::cpu, {10, 10}, {}}, {Resource::gpu, {30, 20}, {}, {5, 5}}}},
               {"b", 50, 50, {}, {{Resource::gpu, {8, 6}, {4, 4}}}}};
  return set;
}

std::string complaint(const TaskSet& set) {
  const auto good = check(set);
  return good ? "none" : good.error().message;
}

TEST(TaskSet, GoodOnesPass) { EXPECT_EQ(complaint(two_tasks()), "none"); }

TEST(TaskSet, NonsenseIsNamedByTaskStageAndField) {
  const auto broken = [](auto change) {
    TaskSet set = two_tasks();
    change(set);
    return complaint(set);
  };
  EXPECT_EQ(broken([](TaskSet& set) { set.platform.links = 0; }), "platform, pci: 0, expected 1 to 64");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[1].name = "a"; }), "task \"a\", name: another task has it too");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].deadline = 101; }),
            "task \"a\", deadline: 101 ns, expected 1 to the period, 100");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[1].stages[0].requests = 0; }),
            "task \"b\", stage 1 (GPU), requests: 0, expected 1 to 1000000");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages[0].requests = 2; }),
            "task \"a\", stage 1 (CPU), requests: 2, expected none: CPUs are not asked for");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[1].stages[0].between = {1, 1}; }),
            "task \"b\", stage 1 (GPU), between: given, expected none for a single request");
  EXPECT_EQ(broken([](TaskSet& set) {
              set.tasks[1].stages[0].requests = 4;
              set.tasks[1].stages[0].between = {3, 2};
            }),
            "task \"b\", stage 1 (GPU), between in mode 2: 2 ns, expected 3 (1 ns before each request but the "
            "first) to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].period = kLongest + 1; }),
            "task \"a\", period: 35184372088833 ns, expected 1 to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages.clear(); }),
            "task \"a\", stages: none, expected at least one");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages[1].worst = {30}; }),
            "task \"a\", stage 2 (GPU), worst: 1 times, expected one for each of the 2 modes");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages[1].worst[1] = -3; }),
            "task \"a\", stage 2 (GPU), worst in mode 2: -3 ns, expected 1 to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[1].stages[0].best[1] = 7; }),
            "task \"b\", stage 1 (GPU), best in mode 2: 7 ns, expected 0 to the worst, 6");
  EXPECT_THAT(broken([](TaskSet& set) { set.tasks[0].stages[0].section = {1, 0}; }), HasSubstr("CPUs are preemptive"));
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages[1].section = {1}; }),
            "task \"a\", stage 2 (GPU), section: 1 times, expected none or one for each of the 2 modes");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].stages[1].section = {1, -1}; }),
            "task \"a\", stage 2 (GPU), section in mode 2: -1 ns, expected 0 or more");
  EXPECT_THAT(broken([](TaskSet& set) { set.tasks[0].priority = 1; }), HasSubstr("task \"b\", priority: missing"));
  EXPECT_THAT(broken([](TaskSet& set) { set.tasks[0].priority = set.tasks[1].priority = 1; }),
              HasSubstr("task \"b\", priority: 1 is another task's too"));
}

TEST(TaskSet, ModesAreOnePerTaskUpToTheGpus) {
  const TaskSet set = two_tasks();
  EXPECT_TRUE(check(set, Modes{1, 2}));
  EXPECT_EQ(check(set, Modes{1}).error().message, "modes: 1, expected one for each of the 2 tasks");
  EXPECT_EQ(check(set, Modes{1, 3}).error().message, "task \"b\", mode: 3, expected 1 to 2");
}

TEST(TaskSet, PrioritiesAreGivenOrDeadlineMonotonic) {
  TaskSet set = two_tasks();
  EXPECT_THAT(priority_order(set), ElementsAre(1, 0));
  set.tasks[0].priority = 7;
  set.tasks[1].priority = 3;
  EXPECT_THAT(priority_order(set), ElementsAre(0, 1));
  set.tasks[0].deadline = set.tasks[1].deadline;
  EXPECT_THAT(deadline_monotonic(set), ElementsAre(0, 1));  // ties: the one listed first
}

TaskSet bound_tasks() {
  TaskSet set = two_tasks();
  set.platform = {2, 2, 2, true};
  return set;
}

TEST(TaskSet, BoundPlatformsHaveALinkForEachGpu) {
  TaskSet set = bound_tasks();
  EXPECT_EQ(complaint(set), "none");
  EXPECT_EQ(set.platform.subtasks(Resource::link, 2), 2);
  EXPECT_EQ(two_tasks().platform.subtasks(Resource::link, 2), 1);
  set.platform.links = 1;
  EXPECT_EQ(complaint(set), "platform, pci: 1, expected 2: where GPUs are bound, each has its own link");
}

TEST(TaskSet, ListsOfDevicesAreDistinctGpusOfABoundPlatform) {
  TaskSet set = two_tasks();
  set.tasks[0].devices = {1};
  EXPECT_EQ(complaint(set), "task \"a\", devices: given, expected none where the platform's GPUs are not bound");
  set = bound_tasks();
  set.tasks[0].devices = {2};
  EXPECT_EQ(complaint(set), "task \"a\", devices: 2, expected 0 to 1");
  set.tasks[0].devices = {1, 1};
  EXPECT_EQ(complaint(set), "task \"a\", devices: 1 twice, expected distinct ones");
}

TEST(TaskSet, SectionsAreOfAMode) {
  Stage stage{Resource::gpu, {30, 20, 10}, {}, {5, 25, 0}};
  EXPECT_EQ(stage.section_in(1), 5);
  EXPECT_EQ(stage.section_in(2), 20) << "no more than there is";
  EXPECT_EQ(stage.section_in(3), 10);
  EXPECT_FALSE(stage.whole_in(1));
  EXPECT_FALSE(stage.whole_in(2)) << "it may be cut";
  EXPECT_TRUE(stage.whole_in(3));
  lengthen_sections(stage, 2);
  EXPECT_THAT(stage.section, ElementsAre(7, 27, 0));
}

TEST(TaskSet, SectionsNeedNoMoreCpuTimeThanTheyTake) {
  TaskSet set = bound_tasks();
  Stage& stage = set.tasks[1].stages[0];
  stage.host = {1, 7};
  EXPECT_EQ(complaint(set), "task \"b\", stage 1 (GPU), host in mode 2: 7 ns, expected 0 to the worst, 6");
  stage.host = {2, 4};
  EXPECT_EQ(complaint(set), "none");
  EXPECT_EQ(stage.longest_host(), 4) << "all of it in one section";
  stage.host_section = {0, 3};
  EXPECT_EQ(stage.longest_host(), 3);
  EXPECT_EQ(stage.longest_host_in(1), 2) << "any part of it";
  set.tasks[0].stages[0].host = {1, 1};
  EXPECT_EQ(complaint(set), "task \"a\", stage 1 (CPU), host: expected none, it is on a CPU");
}

TEST(TaskSet, ThreadsAreOfCpuStagesAndOfWhatIsBetweenRequests) {
  TaskSet set = bound_tasks();
  Stage& on_cpu = set.tasks[0].stages[0];
  on_cpu.threads = {1, 2};
  EXPECT_EQ(complaint(set), "none");
  EXPECT_EQ(set.platform.subtasks(on_cpu, 2), 2);
  EXPECT_EQ(on_cpu.most_threads(), 2);
  on_cpu.threads = {1};
  EXPECT_EQ(complaint(set),
            "task \"a\", stage 1 (CPU), threads: 1 numbers, expected none or one for each of the 2 modes");
  on_cpu.threads = {1, 65};
  EXPECT_EQ(complaint(set), "task \"a\", stage 1 (CPU), threads in mode 2: 65, expected 1 to 64");
  on_cpu.threads = {};
  set.tasks[1].stages[0].threads = {2, 2};
  EXPECT_EQ(complaint(set), "task \"b\", stage 1 (GPU), threads: given, expected none for a single request");
  set.tasks[1].stages[0].requests = 2;
  EXPECT_EQ(complaint(set), "none");
}

TEST(TaskSet, NoModeIsLargerThanTheTasksList) {
  TaskSet set = bound_tasks();
  set.tasks[0].devices = {1};
  EXPECT_TRUE(check(set, Modes{1, 2}));
  EXPECT_EQ(check(set, Modes{2, 2}).error().message,
            "task \"a\", mode: 2, expected 1 to 1, the most GPUs that it can use");
}

}  // namespace
}  // namespace samcl::analysis
