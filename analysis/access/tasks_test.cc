#include "analysis/access/tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

analysis::Task pipeline(const std::string& name, Time period, int cpu) {
  analysis::Task task;
  task.name = name;
  task.period = task.deadline = period;
  task.cpu = cpu;
  for (const auto& [resource, worst] :
       {std::pair{Resource::cpu, 3}, {Resource::link, 2}, {Resource::gpu, 5}, {Resource::cpu, 1}}) {
    task.stages.emplace_back();
    task.stages.back().resource = resource;
    task.stages.back().worst = {worst};
  }
  task.stages[2].host = {1};
  return task;
}

analysis::TaskSet two() {
  analysis::TaskSet set;
  set.platform.cpus = 2;
  set.tasks = {pipeline("slow", 60, 1), pipeline("fast", 50, 0)};
  return set;
}

std::string complaint(const analysis::TaskSet& set, const Modes& modes = {1, 1}) {
  if (auto good = check(set, Model::partitioned); !good) return good.error().message;
  const auto tasks = tasks_of(set, modes);
  return tasks ? "none" : tasks.error().message;
}

TEST(Tasks, AreTheMostUrgentFirstAndCopiesAreOfTheSegment) {
  const auto tasks = tasks_of(two(), Modes{1, 1});
  ASSERT_TRUE(tasks) << tasks.error().message;
  const Task& fast = tasks->tasks[0];
  EXPECT_EQ(fast.name, "fast");
  EXPECT_EQ(fast.index, 1);
  EXPECT_THAT(fast.between, ElementsAre(3, 1));
  ASSERT_EQ(fast.segments.size(), 1);
  EXPECT_EQ(fast.segments[0].misc, 1);
  EXPECT_EQ(fast.segments[0].pure, 6);
  EXPECT_EQ(tasks->devices, 1);
}

TEST(Tasks, HaveTheirOwnPartsOfGpusThatAreNotBound) {
  analysis::TaskSet set = two();
  set.platform.gpus = 4;
  for (analysis::Task& task : set.tasks)
    for (Stage& stage : task.stages) {
      stage.worst.assign(4, stage.worst[0]);
      if (!stage.host.empty()) stage.host.assign(4, 1);
    }
  set.tasks[0].stages[2].worst = {8, 4, 3, 2};
  const auto tasks = tasks_of(set, Modes{3, 1});
  ASSERT_TRUE(tasks) << tasks.error().message;
  EXPECT_NE(tasks->tasks[0].device, tasks->tasks[1].device);
  EXPECT_EQ(tasks->tasks[1].segments[0].pure, 2 + 3 - 1);
  EXPECT_EQ(complaint(set, {3, 2}),
            "the tasks' modes add up to 5, expected at most platform.gpus, 4: where GPUs are not bound, each "
            "task has its "
            "own");
}

TEST(Tasks, WhatIsMissingIsNamed) {
  analysis::TaskSet set = two();
  set.tasks[1].cpu = {};
  EXPECT_EQ(complaint(set), "task \"fast\", cpu: missing, expected 0 to 1");
  set.tasks[1].cpu = 2;
  EXPECT_EQ(complaint(set), "task \"fast\", cpu: 2, expected 0 to 1");
  set.tasks[1].cpu = 0;
  set.tasks[1].jitter = -1;
  EXPECT_EQ(complaint(set), "task \"fast\", jitter: -1 ns, expected 0 to 35184372088832");
  set.tasks[1].jitter = 0;
  set.platform.bound = true;
  EXPECT_EQ(complaint(set), "task \"fast\", devices: none, expected the one it uses");
  set.platform.bound = false;
  set.tasks[1].stages[2].requests = 2;
  EXPECT_THAT(complaint(set), HasSubstr("requests: 2, expected 1"));
  set = two();
  set.tasks[0].gpu_priority = 1;
  EXPECT_EQ(complaint(set), "task \"fast\", gpu_priority: missing, expected for all tasks or for none");
  set.tasks[0].cpu = 0;
  set.tasks[1].gpu_priority = 0;
  EXPECT_THAT(complaint(set), HasSubstr("task \"slow\", gpu_priority: above that of \"fast\""));
}

// What analyses of the pipeline do not know they do not drop.
TEST(Tasks, AreRefusedByThePipelinesModel) {
  const auto refused = [](auto change) {
    analysis::TaskSet set;
    set.tasks = {pipeline("t", 60, 0)};
    set.tasks[0].cpu = {};
    EXPECT_TRUE(check(set)) << check(set).error().message;
    change(set.tasks[0]);
    EXPECT_TRUE(check(set, Model::partitioned)) << check(set, Model::partitioned).error().message;
    return check(set) ? "none" : check(set).error().message;
  };
  EXPECT_EQ(refused([](auto& task) { task.cpu = 0; }),
            "task \"t\", cpu: expected none for this analysis; sam-analyze access knows it");
  EXPECT_THAT(refused([](auto& task) { task.jitter = 1; }), HasSubstr("jitter: expected none"));
  EXPECT_THAT(refused([](auto& task) { task.offset = 0; }), HasSubstr("offset: expected none"));
  EXPECT_THAT(refused([](auto& task) { task.busy_waits = true; }), HasSubstr("busy_waits: true, expected false"));
  EXPECT_THAT(refused([](auto& task) { task.gpu_priority = 1; }), HasSubstr("gpu_priority: expected none"));
  EXPECT_THAT(refused([](auto& task) { task.deadline = 61; }), HasSubstr("expected 1 to the period, 60"));
}

}  // namespace
}  // namespace samcl::analysis::access
