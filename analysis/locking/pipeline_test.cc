#include "analysis/locking/pipeline.h"

#include <gtest/gtest.h>

#include "analysis/locking/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis::locking {
namespace {

TEST(Pipeline, ComesBackAsItWas) {
  const TestSeed seed;
  Random random(seed);
  for (int n = 0; n < 1000; ++n) {
    const TaskSet set = random_set({.gpus = 3}, random);
    const auto back = shared_gpus(pipeline(set), Modes(set.tasks.size(), 1));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->cpus, set.cpus);
    EXPECT_EQ(back->gpus, set.gpus);
    ASSERT_EQ(back->tasks.size(), set.tasks.size());
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      const Task &task = set.tasks[i], &again = back->tasks[i];
      EXPECT_EQ(again.name, task.name);
      EXPECT_EQ(again.period, task.period);
      EXPECT_EQ(again.cpu, task.cpu);
      EXPECT_EQ(again.gpu, task.gpu);
      EXPECT_EQ(again.section, task.section);
    }
  }
}

// Two kernels with 3 on a CPU between: one critical section from the first transfer to the second kernel.
TEST(Pipeline, ACriticalSectionGoesFromTheFirstStageOnAGpuOrLinkToTheLast) {
  analysis::TaskSet set;
  Stage asks_twice{Resource::link, {2}, {}};
  asks_twice.requests = 2;
  set.tasks = {{"t",
                50,
                50,
                {},
                {{Resource::cpu, {5}, {}},
                 asks_twice,
                 {Resource::gpu, {7}, {}},
                 {Resource::cpu, {3}, {}},
                 {Resource::gpu, {6}, {}},
                 {Resource::cpu, {4}, {}}}}};
  const auto sharing = shared_gpus(set, Modes{1});
  ASSERT_TRUE(sharing) << sharing.error().message;
  const Task& task = sharing->tasks.at(0);
  EXPECT_EQ(task.gpu, 13);
  EXPECT_EQ(task.cpu, 5 + 2 + 1 + 3 + 4) << "with 1 ns between two requests";
  EXPECT_EQ(task.section, 2 + 1 + 7 + 3 + 6);
}

TEST(Pipeline, WhatALockDoesNotKnowIsNamed) {
  analysis::TaskSet set;
  set.platform.gpus = 2;
  set.tasks = {{"t", 50, 50, {}, {{Resource::link, {2, 2}, {}}, {Resource::gpu, {7, 4}, {}}}}};
  const auto complaint = [&](int mode) {
    const auto sharing = shared_gpus(set, Modes{mode});
    return sharing ? "none" : sharing.error().message;
  };
  EXPECT_EQ(complaint(1), "none");
  EXPECT_EQ(complaint(2), "task \"t\", mode: 2, expected 1 for locking: a GPU at a time");
  set.tasks[0].deadline = 40;
  EXPECT_EQ(complaint(1), "task \"t\", deadline: 40 ns, expected the period for locking");
  set.tasks[0].deadline = 50;
  set.tasks[0].stages.pop_back();
  EXPECT_EQ(complaint(1), "task \"t\", stages: transfers, expected a GPU stage with them for locking");
  set.platform.bound = true;
  EXPECT_EQ(complaint(1), "platform, bound: expected false for locking");
}

}  // namespace
}  // namespace samcl::analysis::locking
