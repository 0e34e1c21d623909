#include "analysis/sim/simulator.h"

#include <gtest/gtest.h>

#include "analysis/sim/behaviour_plan.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

Stage stage(Resource resource, std::vector<Time> worst, Time section = 0) {
  Stage one{resource, std::move(worst), {}};
  one.section.assign(one.worst.size(), section);
  return one;
}

struct Recorder : Observer {
  std::vector<Segment> segments;
  std::vector<FinishedJob> jobs;
  void ran(const Segment& segment) override { segments.push_back(segment); }
  void finished(const FinishedJob& job) override { jobs.push_back(job); }
  Time finish(size_t task, int64_t job) const {
    for (const FinishedJob& entry : jobs)
      if (entry.task == task && entry.job == job) return entry.finish;
    return -1;
  }
};

Recorder record(const TaskSet& set, const Modes& modes, const BehaviourPlan& plan) {
  EXPECT_TRUE(check(set)) << check(set).error().message;
  Recorder recorder;
  PlannedBehaviour behaviour(set, modes, plan);
  simulate(set, priority_order(set), modes, behaviour, recorder, 1000000, 1000000);
  return recorder;
}

TEST(Simulator, FinishingEarlyMakesALessUrgentTaskLate) {
  TaskSet set;
  set.tasks = {{"P1", 12, 12, 2, {stage(Resource::cpu, {4}), stage(Resource::link, {5}), stage(Resource::cpu, {1})}},
               {"P2", 18, 18, 1, {stage(Resource::cpu, {5})}}};
  const BehaviourPlan plan{{{{0, {}}, {12, {{4}, {1}, {1}}}}, {{9, {}}}}, {}};
  const Recorder seen = record(set, {1, 1}, plan);
  EXPECT_EQ(seen.finish(0, 0), 10);
  EXPECT_EQ(seen.finish(0, 1), 18);
  EXPECT_EQ(seen.finish(1, 0), 20);  // response 11; the published bound is 10
}

TEST(Simulator, CpusArePreemptedAndLinksAreNot) {
  TaskSet set;
  for (const Resource resource : {Resource::cpu, Resource::link}) {
    set.tasks = {{"urgent", 100, 100, 2, {stage(resource, {3})}}, {"long", 100, 100, 1, {stage(resource, {10})}}};
    const Recorder seen = record(set, {1, 1}, {{{{4, {}}}, {{0, {}}}}, {}});
    EXPECT_EQ(seen.finish(0, 0), resource == Resource::cpu ? 7 : 13);
    EXPECT_EQ(seen.finish(1, 0), resource == Resource::cpu ? 13 : 10);
  }
}

// "low" needs a CPU for the first 2 ns of its section of 4, "middle" computes, "high" wants the GPU.
TaskSet one_cpu_and_gpu() {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"high", 100, 100, 3, {stage(Resource::gpu, {2})}},
               {"middle", 100, 100, 2, {stage(Resource::cpu, {10})}},
               {"low", 100, 100, 1, {stage(Resource::gpu, {4})}}};
  set.tasks[2].stages[0].host = {2};
  return set;
}

TEST(Simulator, SectionKeepsItsDeviceWhileItWaitsForACpu) {
  const Recorder seen = record(one_cpu_and_gpu(), {1, 1, 1}, {{{}, {{1, {}}}, {{0, {}}}}, {}});
  EXPECT_EQ(seen.finish(1, 0), 11);
  EXPECT_EQ(seen.finish(2, 0), 14);
}

TEST(Simulator, SectionRunsAtThePriorityOfWhoWaitsForIt) {
  const TaskSet set = one_cpu_and_gpu();
  const Recorder seen = record(set, {1, 1, 1}, {{{{2, {}}}, {{1, {}}}, {{0, {}}}}, {}});
  EXPECT_EQ(seen.finish(2, 0), 5) << "middle gives way for 1 ns";
  EXPECT_EQ(seen.finish(0, 0), 7);
  EXPECT_EQ(seen.finish(1, 0), 12);
}

TEST(Simulator, SectionsLetAMoreUrgentTaskIn) {
  TaskSet set;
  set.tasks = {{"urgent", 100, 100, 2, {stage(Resource::gpu, {3})}},
               {"long", 100, 100, 1, {stage(Resource::gpu, {10}, 5)}}};
  const Recorder seen = record(set, {1, 1}, {{{{4, {}}}, {{0, {}}}}, {}});
  EXPECT_EQ(seen.finish(0, 0), 8);
  EXPECT_EQ(seen.finish(1, 0), 13);
}

TEST(Simulator, AStageEndsWithItsLastSubtask) {
  TaskSet set;
  set.platform = {1, 1, 3};
  set.tasks = {{"split", 100, 100, 2, {stage(Resource::gpu, {9, 6, 4}), stage(Resource::cpu, {1, 1, 1})}},
               {"other", 100, 100, 1, {stage(Resource::gpu, {7, 7, 7})}}};
  // Mode 3 takes all three GPUs; the other task gets the first that is free.
  const Recorder seen = record(set, {3, 1}, {{{{0, {{2, 4, 1}, {1}}}}, {{0, {}}}}, {}});
  EXPECT_EQ(seen.finish(0, 0), 5);
  EXPECT_EQ(seen.finish(1, 0), 8);
}

TEST(Simulator, JobsOfATaskDoNotOverlap) {
  TaskSet set;
  set.platform.cpus = 2;
  set.tasks = {{"late", 5, 5, 1, {stage(Resource::cpu, {8})}}};
  const Recorder seen = record(set, {1}, {{{{0, {}}, {5, {}}}}, {}});
  EXPECT_EQ(seen.finish(0, 1), 16);
}

TEST(Simulator, AllWorkIsDoneOnceAndNoElementIsSharedAtOnce) {
  const TestSeed seed;
  Random random(seed);
  TaskSet set;
  set.platform = {2, 1, 2};
  for (const char* const task : {"a", "b", "c"})
    set.tasks.push_back({task,
                         60,
                         60,
                         {},
                         {stage(Resource::cpu, {5, 5}), stage(Resource::gpu, {9, 5}, 3), stage(Resource::link, {4, 4}),
                          stage(Resource::cpu, {3, 3})}});
  const Modes modes = {1, 2, 2};
  for (int round = 0; round < 50; ++round) {
    const BehaviourPlan plan = random_plan(set, modes, 6, random);
    const Recorder seen = record(set, modes, plan);
    Time planned = 0, done = 0;
    for (const auto& jobs : plan.jobs)
      for (const PlannedJob& job : jobs)
        for (const auto& times : job.execution)
          for (const Time time : times) planned += time;
    for (const Segment& segment : seen.segments) {
      done += segment.end - segment.start;
      for (const Segment& other : seen.segments) {
        if (&other == &segment || other.resource != segment.resource || other.element != segment.element) continue;
        ASSERT_TRUE(other.end <= segment.start || segment.end <= other.start);
      }
    }
    EXPECT_EQ(done, planned);
  }
}

}  // namespace
}  // namespace samcl::analysis
