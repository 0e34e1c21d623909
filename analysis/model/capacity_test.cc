#include "analysis/model/capacity.h"

#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

TaskSet two_tasks() {
  TaskSet set;
  set.platform = {2, 1, 2};
  set.tasks = {{"a", 100, 90, {}, {{Resource::cpu, {10, 10}, {}}, {Resource::gpu, {30, 20}, {}, {5, 5}}}},
               {"b", 50, 50, {}, {{Resource::gpu, {8, 6}, {4, 4}}}}};
  return set;
}

TEST(Capacity, UtilisationCountsEverySubtask) {
  EXPECT_DOUBLE_EQ(utilisation(two_tasks(), Modes{2, 1}, Resource::gpu), 2 * 20 / 100.0 + 8 / 50.0);
  EXPECT_DOUBLE_EQ(utilisation(two_tasks(), Modes{2, 1}, Resource::link), 0);
}

TEST(Capacity, WhatIsBetweenRequestsIsWorkOfTheCpus) {
  TaskSet set = two_tasks();
  set.tasks[1].stages[0].requests = 3;
  set.tasks[1].stages[0].between = {5, 4};
  EXPECT_DOUBLE_EQ(utilisation(set, Modes{1, 1}, Resource::cpu), 10 / 100.0 + 5 / 50.0);
  EXPECT_DOUBLE_EQ(utilisation(set, Modes{1, 2}, Resource::cpu), 10 / 100.0 + 4 / 50.0);
}

TEST(Capacity, ThreadsAreWorkEach) {
  TaskSet set = two_tasks();
  set.tasks[0].stages[0].threads = {1, 3};
  set.tasks[1].stages[0].requests = 3;
  set.tasks[1].stages[0].between = {5, 4};
  set.tasks[1].stages[0].threads = {1, 2};
  EXPECT_DOUBLE_EQ(utilisation(set, Modes{1, 1}, Resource::cpu), 10 / 100.0 + 5 / 50.0);
  EXPECT_DOUBLE_EQ(utilisation(set, Modes{2, 2}, Resource::cpu), 30 / 100.0 + 8 / 50.0);
}

TEST(Capacity, MoreWorkThanElementsIsNamedByItsLargestTask) {
  TaskSet set = two_tasks();
  EXPECT_TRUE(check_capacity(set, Modes{2, 2}));
  set.tasks[0].stages[1].worst = {190, 100};
  EXPECT_EQ(check_capacity(set, Modes{1, 1}).error().message,
            "task \"a\" and others, worst on GPU: utilisation 2.06, expected at most 2; "
            "the largest part is this task's in mode 1, 1.9");
}

TEST(Capacity, AnOverloadReadsAsOneHoweverSmall) {
  TaskSet set;
  set.platform = {1, 1, 1};
  set.tasks = {{"a", 1'000'000, 1'000'000, {}, {{Resource::gpu, {500'001}, {}}}},
               {"b", 1'000'000, 1'000'000, {}, {{Resource::gpu, {500'000}, {}}}}};
  EXPECT_EQ(check_capacity(set, Modes{1, 1}).error().message,
            "task \"a\" and others, worst on GPU: utilisation 1.000001, expected at most 1; "
            "the largest part is this task's in mode 1, 0.5");
}

TEST(Capacity, OfBoundDevicesIsOneEach) {
  TaskSet set = two_tasks();
  set.platform = {2, 2, 2, true};
  set.tasks[0].stages[1].worst = {90, 80};
  EXPECT_TRUE(check_capacity(set, Modes{1, 1}));  // apart
  EXPECT_TRUE(check_capacity(set, Modes{2, 2}));
  set.tasks[0].devices = set.tasks[1].devices = {1};
  EXPECT_EQ(check_capacity(set, Modes{1, 1}).error().message,
            "task \"a\" and others, worst on GPU of device 1: utilisation 1.06, expected at most 1; "
            "the largest part is this task's in mode 1, 0.9");
}

}  // namespace
}  // namespace samcl::analysis
