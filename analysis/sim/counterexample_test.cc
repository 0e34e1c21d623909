// Where the published forms are exceeded: the smallest cases that were found. PROOF.md lists them.
#include <gtest/gtest.h>

#include "analysis/rta/response_time.h"
#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {
namespace {

Stage stage(Resource resource, std::vector<Time> worst) { return {resource, std::move(worst), {}}; }

// Schedulable by the published form, which the plan exceeds; the safe bound holds.
void expect_exceeded(const TaskSet& set, const Modes& modes, const BehaviourPlan& plan, Form form, size_t task,
                     Time published, Time simulated) {
  ASSERT_TRUE(check(set)) << check(set).error().message;
  const Bounds claimed = analyse(set, modes, form);
  EXPECT_TRUE(claimed.schedulable);
  EXPECT_EQ(claimed.tasks[task].response, published);
  EXPECT_EQ(play(set, priority_order(set), modes, plan).longest[task], simulated);
  const Bounds safe = analyse(set, modes, Form::safe);
  EXPECT_TRUE(safe.tasks[task].proven);
  EXPECT_GE(safe.tasks[task].response, simulated);
}

TEST(PublishedForms, AreExceededWhereAStageEndsEarly) {
  TaskSet set;
  set.tasks = {{"P1", 12, 12, {}, {stage(Resource::cpu, {4}), stage(Resource::link, {5}), stage(Resource::cpu, {1})}},
               {"P2", 18, 18, {}, {stage(Resource::cpu, {5})}}};
  const BehaviourPlan plan{{{{0, {}}, {12, {{4}, {1}, {1}}}}, {{9, {}}}}, {}};
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc}) expect_exceeded(set, {1, 1}, plan, form, 1, 10, 11);
}

TEST(PublishedForms, AreExceededByHalf) {
  TaskSet set;
  set.tasks = {{"P1", 8, 8, {}, {stage(Resource::gpu, {3}), stage(Resource::cpu, {3})}},
               {"P2", 9, 9, {}, {stage(Resource::cpu, {3})}}};
  const BehaviourPlan plan{{{{0, {}}, {8, {{0}, {3}}}}, {{3, {}}}}, {}};
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc}) expect_exceeded(set, {1, 1}, plan, form, 1, 6, 9);
}

// All times fixed: best cases are the worst ones.
TEST(GpuSam, IsExceededWithFixedExecutionTimesToo) {
  TaskSet set;
  set.platform.cpus = 2;
  const auto task = [](const char* name, Time period, Time deadline, Time execution) {
    return Task{name, period, deadline, {}, {{Resource::cpu, {execution}, {execution}}}};
  };
  set.tasks = {task("P1", 56, 56, 6), task("P2", 39, 39, 15), task("P3", 39, 39, 24), task("P4", 141, 141, 25),
               task("victim", 150, 38, 3)};
  for (int n = 0; n < 5; ++n) set.tasks[static_cast<size_t>(n)].priority = 5 - n;
  BehaviourPlan plan;
  const Time offsets[] = {57, 118, 126, 24, 306};
  for (size_t i = 0; i < 5; ++i) {
    plan.jobs.emplace_back();
    for (Time release = offsets[i]; release < 400; release += set.tasks[i].period)
      plan.jobs.back().push_back({release, {}});
  }
  expect_exceeded(set, Modes(5, 1), plan, Form::gpu_sam, 4, 38, 39);
}

// A more urgent stage on two GPUs counts with its single-GPU time shared by both: nothing of it is left.
TEST(GpuSparc, IsExceededWhereSplittingGainsNothing) {
  TaskSet set;
  set.platform.gpus = 2;
  set.tasks = {{"P1", 9, 9, {}, {stage(Resource::gpu, {1, 1})}}, {"P2", 10, 10, {}, {stage(Resource::gpu, {1, 1})}}};
  const BehaviourPlan plan{{{{0, {}}}, {{0, {}}}}, {}};
  expect_exceeded(set, {2, 2}, plan, Form::gpu_sparc, 1, 1, 2);
}

}  // namespace
}  // namespace samcl::analysis
