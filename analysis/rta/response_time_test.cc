#include "analysis/rta/response_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;

Stage stage(Resource resource, std::vector<Time> worst) { return {resource, std::move(worst), {}}; }

std::vector<Time> responses(const TaskSet& set, Form form, Modes modes = {}) {
  EXPECT_TRUE(check(set)) << check(set).error().message;
  if (modes.empty()) modes.assign(set.tasks.size(), 1);
  std::vector<Time> all;
  for (const TaskBound& bound : analyse(set, modes, form).tasks) all.push_back(bound.response);
  return all;
}

// One CPU, one PCI link; P1 T = 12: CPU 4, PCI 5, CPU 1; P2 T = 18: CPU 5.
TaskSet two_tasks_without_gpu() {
  TaskSet set;
  set.tasks = {{"P1", 12, 12, 2, {stage(Resource::cpu, {4}), stage(Resource::link, {5}), stage(Resource::cpu, {1})}},
               {"P2", 18, 18, 1, {stage(Resource::cpu, {5})}}};
  return set;
}

// Three tasks of one stage each: Joseph and Pandya's kind of example, R = 1, 3, 10.
TaskSet three_tasks(Resource resource) {
  TaskSet set;
  set.tasks = {{"P1", 4, 4, {}, {stage(resource, {1})}},
               {"P2", 6, 6, {}, {stage(resource, {2})}},
               {"P3", 13, 13, {}, {stage(resource, {3})}}};
  return set;
}

TEST(PublishedForms, BoundTheSecondOfTwoTasksByTen) {
  EXPECT_THAT(responses(two_tasks_without_gpu(), Form::gpu_sam), ElementsAre(10, 10));
  EXPECT_THAT(responses(two_tasks_without_gpu(), Form::gpu_sparc), ElementsAre(10, 10));
}

TEST(PublishedForms, AreNeverProven) {
  for (const TaskBound& bound : analyse(two_tasks_without_gpu(), Modes{1, 1}, Form::gpu_sam).tasks)
    EXPECT_FALSE(bound.proven);
}

TEST(PublishedForms, CountEveryTermOfTheEquations) {
  TaskSet set;
  set.platform = {1, 1, 2};
  set.tasks = {{"P1", 100, 100, {}, {stage(Resource::gpu, {8, 5})}},
               {"P2", 200, 200, {}, {stage(Resource::gpu, {9, 6})}},
               {"P3", 300, 300, {}, {stage(Resource::gpu, {20, 11})}}};
  // P2 in mode 2: r = 6 + ceil((2 * 5 + 6 * (2 - 1)) / 2) + ceil((10 + 10) / 2)
  EXPECT_THAT(responses(set, Form::gpu_sam, {2, 2, 2}), testing::Contains(6 + 8 + 10));
  // w = 6 + floor(8 / 2) + floor((10 + 10) / 2): P1 counts with its single-GPU time, once
  EXPECT_THAT(responses(set, Form::gpu_sparc, {2, 2, 2}), testing::Contains(6 + 4 + 10));
}

TEST(SafeForm, CoversWhatAnEarlyEndDelays) {
  EXPECT_THAT(responses(two_tasks_without_gpu(), Form::safe), ElementsAre(10, 11));
}

TEST(SafeForm, NeedsNoJitterWhereBestCasesAreWorstCases) {
  TaskSet set = two_tasks_without_gpu();
  for (Stage& entry : set.tasks[0].stages) entry.best = entry.worst;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(10, 10));
}

TEST(SafeForm, IsTheClassicalOneOnOneCpu) {
  EXPECT_THAT(responses(three_tasks(Resource::cpu), Form::safe), ElementsAre(1, 3, 10));
}

TEST(SafeForm, CountsTheSectionThatASmallerTaskIsIn) {
  // 3 - 1, then its own execution; P2 also waits for P1.
  EXPECT_THAT(responses(three_tasks(Resource::link), Form::safe), ElementsAre(3, 5, 6));
  TaskSet sliced = three_tasks(Resource::link);
  sliced.tasks[2].stages[0].section = {1};
  // P3 may now be interrupted between sections.
  EXPECT_THAT(responses(sliced, Form::safe), ElementsAre(1 + 1, 2 + 1, 10));
}

// Davis, Burns, Bril and Lukkien (2007), figure 2, in halves: the second message of C is the late one,
// delayed by what its first pushed on: it takes 7, the bound is not tight here.
TEST(SafeForm, CountsWhatATasksOwnLastJobPushedOn) {
  TaskSet set;
  set.tasks = {{"A", 5, 5, 3, {stage(Resource::link, {2})}},
               {"B", 7, 7, 2, {stage(Resource::link, {2})}},
               {"C", 7, 7, 1, {stage(Resource::link, {2})}}};
  EXPECT_GE(responses(set, Form::safe)[2], 7);
}

TEST(SafeForm, WaitsForNobodyWhereThereIsAnElementForEach) {
  TaskSet set = three_tasks(Resource::cpu);
  set.platform.cpus = 3;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(1, 2, 3));
}

TEST(SafeForm, SubtasksOfOneStageRunSideBySide) {
  TaskSet set;
  set.platform = {1, 1, 4};
  set.tasks = {{"P1", 100, 100, {}, {stage(Resource::gpu, {40, 20, 14, 10})}}};
  for (int mode = 1; mode <= 4; ++mode)
    EXPECT_EQ(responses(set, Form::safe, {mode})[0], set.tasks[0].stages[0].worst_in(mode));
}

TEST(SafeForm, ThreadsOfAStageRunSideBySideAndOneAfterTheOtherOnOneCpu) {
  TaskSet set;
  set.tasks = {{"merges", 100, 100, {}, {stage(Resource::cpu, {5})}},
               {"last", 200, 200, {}, {stage(Resource::cpu, {7})}}};
  set.tasks[0].stages[0].threads = {3};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(15, 22));
  set.platform.cpus = 3;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(5, 12)) << "three CPUs are busy for 5";
  set.platform.cpus = 4;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(5, 7));
}

TEST(SafeForm, AStageIsCarriedInWithItsOwnThreadsOnly) {
  TaskSet set;
  set.platform.cpus = 3;
  // A long stage of one thread, and a short one of three.
  set.tasks = {{"urgent", 100, 100, {}, {stage(Resource::cpu, {50}), stage(Resource::cpu, {2})}},
               {"last", 200, 200, {}, {stage(Resource::cpu, {10})}}};
  set.tasks[0].stages[1].threads = {3};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(52, 12)) << "one CPU is left but for 2";
}

// 4 of CPU time in each period of 20, noticed 1 too late: a liar computes from 15 to 20, and with its next budget from
// 20 to 25. What is less urgent and was released at 15 has then waited 10.
TEST(SafeForm, CountsAnEnforcedCpuBudgetAtAnyTimeOfAPeriod) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"liar", 20, 20, 2, {stage(Resource::cpu, {2}), stage(Resource::gpu, {5}), stage(Resource::cpu, {2})}},
               {"less urgent", 60, 60, 1, {stage(Resource::cpu, {6})}}};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(9, 10)) << "if it keeps to its stages";
  set.tasks[0].late = 1;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(9, 16));
}

TEST(SafeForm, CountsWhatIsNoticedTooLateOnAllCpus) {
  TaskSet set;
  set.platform = {2, 1, 1, true};
  set.tasks = {{"liar", 1600, 1600, 2, {stage(Resource::gpu, {50})}},
               {"less urgent", 3000, 3000, 1, {stage(Resource::cpu, {60})}}};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(50, 60)) << "it promised not to compute";
  set.tasks[0].late = 10;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(50, 60 + 2 * 10)) << "with two budgets";
}

// 5 of the GPU and 2 too much, at any time of its 45: from 43 to 50, and with its next job from 60, or 5 earlier.
TEST(SafeForm, CountsAnEnforcedReservationOfAGpuAtAnyTimeOfAJob) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"liar", 80, 80, 2, {stage(Resource::gpu, {5}), stage(Resource::cpu, {40})}},
               {"less urgent", 200, 200, 1, {stage(Resource::gpu, {30})}}};
  set.tasks[1].stages[0].section = {1};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(45, 35)) << "if it keeps to its stages";
  set.tasks[0].late = 1;
  set.tasks[0].late_lease = 2;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(45, 30 + 5 + 7 + 7));
}

// Its jobs may wait for a CPU for 12 before they are seen to begin: the next one may seem to come so much too soon. The
// liar computes at the end of one budget, and with the next two, of which one is 12 early.
TEST(SafeForm, CountsHowMuchSoonerAJobMayHaveItsBudget) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"liar", 32, 32, 2, {stage(Resource::cpu, {2}), stage(Resource::gpu, {3}), stage(Resource::cpu, {2})}},
               {"computes", 200, 200, 1, {stage(Resource::cpu, {20})}},
               {"launches", 200, 200, 0, {stage(Resource::gpu, {40})}}};
  set.tasks[2].stages[0].section = {1};
  set.tasks[0].late = 1;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(7, 20 + 2 * 5, 40 + 2 * 3 + 3)) << "and once it is less urgent";
  set.tasks[0].early = 12;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(7, 20 + 3 * 5, 40 + 3 * 3 + 3));
}

// A task that had too much is less urgent than all others, and its section may have begun just then.
TEST(SafeForm, WhoIsEnforcedCanBeALessUrgentOne) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"liar", 1000, 1000, 2, {stage(Resource::gpu, {50})}},
               {"less urgent", 1000, 1000, 1, {stage(Resource::gpu, {30})}}};
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(50 + 29, 30 + 50));
  set.tasks[0].late = 1;
  EXPECT_THAT(responses(set, Form::safe), ElementsAre(50 + 29, 30 + 50 + 50));
}

// What it waits for is counted stage by stage, what it executes itself once for the job.
TEST(SafeForm, JobsExecuteNoLongerThanWasSeenOfWholeJobs) {
  for (const bool bound : {false, true}) {
    TaskSet set;
    set.platform.bound = bound;
    set.tasks = {
        {"urgent", 100, 100, 2, {stage(Resource::cpu, {3})}},
        {"camera", 200, 200, 1, {stage(Resource::cpu, {10}), stage(Resource::gpu, {20}), stage(Resource::cpu, {10})}},
        {"last", 200, 200, 0, {stage(Resource::gpu, {6})}}};
    EXPECT_THAT(responses(set, Form::safe), ElementsAre(3, 40 + 3 + 5, 26));
    set.tasks[1].work = {24};
    EXPECT_THAT(responses(set, Form::safe), ElementsAre(3, 24 + 3 + 5, 26)) << "for others nothing changes";
    set.tasks[1].work = {41};
    EXPECT_THAT(responses(set, Form::safe), ElementsAre(3, 40 + 3 + 5, 26));
  }
}

TEST(SafeForm, WhatStagesTakeTogetherIsNoLessThanTheLongestTakes) {
  TaskSet set = two_tasks_without_gpu();
  const Time longest =
      std::ranges::max(set.tasks[1].stages, {}, [](const Stage& one) { return one.worst[0]; }).worst[0];
  set.tasks[1].work = {longest};
  EXPECT_TRUE(check(set, Form::safe));
  EXPECT_THAT(check(set, Form::gpu_sam).error().message, HasSubstr("work: expected none for the published forms"));
  set.tasks[1].work = {longest - 1};
  EXPECT_THAT(check(set).error().message, HasSubstr("task \"P2\", work in mode 1: "));
  set.tasks[1].work = {longest, longest};
  EXPECT_THAT(check(set).error().message, HasSubstr("task \"P2\", work: 2 times, expected none or one for each"));
}

TEST(SafeForm, TellsHowLongAJobHasALinkOrGpu) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {
      {"urgent", 100, 100, 2, {stage(Resource::cpu, {3})}},
      {"camera", 100, 100, 1, {stage(Resource::link, {4}), stage(Resource::gpu, {8}), stage(Resource::link, {2})}}};
  const auto holds = [&] {
    const TaskBound bound = analyse(set, Modes{1, 1}, Form::safe).tasks[1];
    return std::pair(bound.holds_link, bound.holds_gpu);
  };
  EXPECT_EQ(holds(), std::pair(Time{6}, Time{8}));
  set.tasks[1].stages[1].host = {2};
  EXPECT_EQ(holds(), std::pair(Time{6}, Time{8 + 3})) << "the more urgent one computes for 3";
}

TEST(SafeForm, EnforcedBudgetsAreNotForThePublishedForms) {
  TaskSet set = two_tasks_without_gpu();
  set.tasks[1].late = 7;
  EXPECT_TRUE(check(set, Form::safe));
  EXPECT_EQ(check(set, Form::gpu_sam).error().message,
            "task \"P2\", late: expected none for the published forms, in which jobs keep to their stages");
  set.tasks[1].late = -1;
  EXPECT_EQ(check(set).error().message, "task \"P2\", late: -1 ns, expected 0 to 35184372088832");
}

TEST(SafeForm, ThreadsAreNotForThePublishedForms) {
  TaskSet set;
  set.tasks = {{"a", 100, 100, {}, {stage(Resource::cpu, {5})}}};
  set.tasks[0].stages[0].threads = {2};
  EXPECT_TRUE(check(set, Form::safe));
  EXPECT_EQ(check(set, Form::gpu_sam).error().message,
            "task \"a\", stage 1 (CPU), threads: 2, expected 1 for the published forms, in which a CPU stage is one "
            "subtask");
}

// Two bound devices; PCI and GPU stages take as long in both modes.
TaskSet bound_tasks(std::vector<Task> tasks) {
  TaskSet set{{1, 2, 2, true}, std::move(tasks)};
  for (Task& task : set.tasks)
    for (Stage& entry : task.stages) entry.worst.resize(2, entry.worst.front());
  return set;
}

TEST(BoundDevices, TasksOnDifferentOnesDoNotMeet) {
  const auto tasks = [](int second) {
    return bound_tasks({{"P1", 100, 100, 2, {stage(Resource::link, {5}), stage(Resource::gpu, {9})}, {0}},
                        {"P2", 100, 100, 1, {stage(Resource::link, {3}), stage(Resource::gpu, {7})}, {second}}});
  };
  EXPECT_THAT(responses(tasks(1), Form::safe), ElementsAre(14, 10));
  EXPECT_THAT(responses(tasks(0), Form::safe), ElementsAre(14 + 2 + 6, 10 + 5 + 9));
}

// With global GPUs the less urgent task runs on the one that is left.
TEST(BoundDevices, ATaskWaitsForItsOwnAlthoughAnotherIsFree) {
  TaskSet set = bound_tasks(
      {{"P1", 100, 100, 2, {stage(Resource::gpu, {9})}, {0}}, {"P2", 100, 100, 1, {stage(Resource::gpu, {7})}, {0}}});
  EXPECT_EQ(responses(set, Form::safe)[1], 7 + 9);
  set.platform = {1, 1, 2};
  for (Task& task : set.tasks) task.devices.clear();
  EXPECT_EQ(responses(set, Form::safe)[1], 7);
}

TEST(BoundDevices, AStageWaitsForTheSlowestOfItsSubtasks) {
  const TaskSet set = bound_tasks({{"P1", 100, 100, 3, {stage(Resource::gpu, {9})}, {0}},
                                   {"P2", 100, 100, 2, {stage(Resource::gpu, {4})}, {1}},
                                   {"P3", 100, 100, 1, {stage(Resource::gpu, {7})}}});
  EXPECT_EQ(responses(set, Form::safe, {1, 1, 2})[2], 7 + 9);
  const Bounds bounds = analyse(set, Modes{1, 1, 2}, Form::safe);
  EXPECT_THAT(bounds.tasks[2].devices, ElementsAre(0, 1));
  EXPECT_EQ(bounds.tasks[2].stages[0].device, 0);
}

// Transfers before and after the kernel: a more urgent job comes in the way once, on however many links. What delays it
// on one link and not on the other (P0, for that long, is on the first) counts by itself.
TEST(BoundDevices, AMoreUrgentJobCountsOnceOnAllDevicesInUse) {
  const auto transfers = [](int count, Time first) {
    std::vector<Stage> stages;
    for (int n = 0; n < count; ++n) {
      stages.push_back(stage(Resource::link, {3}));
      stages.push_back(stage(Resource::cpu, {1}));
    }
    return bound_tasks({{"P0", 900, 900, 3, {stage(Resource::link, {first})}},
                        {"P1", 900, 900, 2, {stage(Resource::link, {10})}},
                        {"P2", 900, 900, 1, stages}});
  };
  EXPECT_EQ(responses(transfers(2, 1), Form::safe, {1, 2, 1})[2], 2 * 4 + 10);
  for (const Time first : {1, 4, 11})
    for (const int count : {2, 3})
      EXPECT_EQ(responses(transfers(count, first), Form::safe, {1, 2, 2})[2], count * 4 + first + 10);
}

// Whose budgets are enforced may be on the links in any order: on each for all of its time, but for no longer than it
// is at work.
TEST(BoundDevices, OneWithABudgetCountsOnEachOfThem) {
  const auto bound = [](Time late) {
    TaskSet set = bound_tasks(
        {{"P1", 900, 900, 2, {stage(Resource::link, {10})}},
         {"P2", 900, 900, 1, {stage(Resource::link, {3}), stage(Resource::gpu, {1}), stage(Resource::link, {3})}}});
    set.tasks[0].late = late;
    return responses(set, Form::safe, {2, 2})[1];
  };
  EXPECT_EQ(bound(0), 7 + 10);
  EXPECT_EQ(bound(1), 7 + 12 + 2 * 10)
      << "it has all on one after the other for 12, its response, and each finds a section";
}

TEST(BoundDevices, AreNotForThePublishedForms) {
  const TaskSet set = bound_tasks({{"P1", 100, 100, {}, {stage(Resource::gpu, {9})}}});
  EXPECT_TRUE(check(set, Form::safe));
  EXPECT_FALSE(check(set, Form::gpu_sam));
  EXPECT_FALSE(check(set, Form::gpu_sparc));
}

TEST(Bounds, OverloadIsUnboundedAndSoIsWhatLiesBelow) {
  TaskSet set = three_tasks(Resource::cpu);
  set.tasks[1].stages[0].worst = {5};
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc, Form::safe}) {
    EXPECT_EQ(responses(set, form)[0], 1);
    EXPECT_EQ(responses(set, form)[2], kUnbounded);
  }
  const Bounds bounds = analyse(set, Modes{1, 1, 1}, Form::safe);
  EXPECT_FALSE(bounds.schedulable);
  EXPECT_TRUE(bounds.tasks[0].proven);
  EXPECT_FALSE(bounds.tasks[1].proven);
  EXPECT_FALSE(bounds.tasks[2].proven);
}

TEST(Bounds, AreNotProvenBelowATaskThatMayOverrunItsPeriod) {
  TaskSet set;
  set.platform.links = 2;
  set.tasks = {{"P1", 10, 10, 3, {stage(Resource::cpu, {6}), stage(Resource::link, {6})}},
               {"P2", 50, 50, 2, {stage(Resource::cpu, {1})}},
               {"P3", 50, 50, 1, {stage(Resource::gpu, {1})}}};
  const Bounds bounds = analyse(set, Modes{1, 1, 1}, Form::safe);
  EXPECT_FALSE(bounds.tasks[0].proven);
  EXPECT_FALSE(bounds.tasks[1].proven);
  EXPECT_TRUE(bounds.tasks[2].proven);  // shares nothing with P1
}

TEST(Bounds, OfTheLongestTimesAreExactOrUnbounded) {
  TaskSet set;
  set.tasks = {{"P1", kLongest, kLongest, {}, {stage(Resource::cpu, {kLongest / 2 - 1})}},
               {"P2", kLongest, kLongest, {}, {stage(Resource::cpu, {kLongest / 2})}},
               {"P3", kLongest, kLongest, {}, {stage(Resource::cpu, {kLongest})}}};
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc, Form::safe})
    EXPECT_THAT(responses(set, form), ElementsAre(kLongest / 2 - 1, kLongest - 1, kUnbounded));
}

TEST(Bounds, OfATaskSetWithoutTasksAreSchedulable) { EXPECT_TRUE(analyse(TaskSet{}, Modes{}, Form::safe).schedulable); }

class Remembering : public testing::TestWithParam<Form> {};

TEST_P(Remembering, ChangedModesGiveWhatAFreshAnalysisGives) {
  const TestSeed seed;
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    SmallSet small = random_set({6, 5, 4, 200, true, true}, random);
    ResponseTimeAnalysis kept(small.set, GetParam());
    for (int change = 0; change < 12; ++change) {
      small.modes[random() % small.modes.size()] =
          1 + static_cast<int>(random() % static_cast<uint64_t>(small.set.platform.gpus));
      if (random() % 3 == 0) kept.worst_ratio(small.modes, 0.5);
      if (random() % 4 == 0) kept.bounds(small.modes);
      const auto remembered = kept.responses(small.modes);
      ResponseTimeAnalysis fresh(small.set, GetParam());
      const auto expected = fresh.responses(small.modes);
      ASSERT_THAT(std::vector<Time>(remembered.begin(), remembered.end()), testing::ElementsAreArray(expected));
      const Bounds bounds = fresh.bounds(small.modes);
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(bounds.tasks[i].response, expected[i]);
    }
  }
}

TEST(Remembering, HoldsWhereDevicesAreBound) {
  const TestSeed seed;
  Random random(seed);
  for (int round = 0; round < 300; ++round) {
    SmallSet small = random_set({6, 5, 4, 200, true, true, true, 1, round % 2 == 0, 1 + round % 3}, random);
    const auto& tasks = small.set.tasks;
    ResponseTimeAnalysis kept(small.set, Form::safe);
    for (int change = 0; change < 20; ++change) {
      const size_t task = random() % tasks.size();
      small.modes[task] =
          static_cast<int>(random() % static_cast<uint64_t>(tasks[task].largest_mode(small.set.platform) + 1));
      if (random() % 3 == 0) kept.worst_ratio(small.modes, 0.5);
      const auto remembered = kept.responses(small.modes);
      ResponseTimeAnalysis fresh(small.set, Form::safe);
      ASSERT_THAT(std::vector<Time>(remembered.begin(), remembered.end()),
                  testing::ElementsAreArray(fresh.responses(small.modes)));
    }
  }
}

TEST_P(Remembering, WorstRatioIsThatOfTheResponses) {
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    const SmallSet small = random_set({5, 4, 3, 100, true, true}, random);
    ResponseTimeAnalysis analysis(small.set, GetParam());
    const double exact = analysis.worst_ratio(small.modes);
    double expected = 0;
    const auto all = analysis.responses(small.modes);
    for (size_t i = 0; i < all.size(); ++i)
      expected = std::max(expected, all[i] == kUnbounded ? std::numeric_limits<double>::infinity()
                                                         : static_cast<double>(all[i]) /
                                                               static_cast<double>(small.set.tasks[i].deadline));
    EXPECT_EQ(exact, expected);
    ResponseTimeAnalysis hasty(small.set, GetParam());
    EXPECT_EQ(hasty.worst_ratio(small.modes, 0.7) >= 0.7, exact >= 0.7);
  }
}

TEST_P(Remembering, AnotherOrderIsAnotherAnalysis) {
  TaskSet set = three_tasks(Resource::cpu);
  ResponseTimeAnalysis analysis(set, GetParam());
  analysis.responses(Modes{1, 1, 1});
  analysis.reorder({2, 1, 0});
  const auto all = analysis.responses(Modes{1, 1, 1});
  EXPECT_EQ(all[2], 3);
  EXPECT_EQ(all[1], 5);
  EXPECT_EQ(all[0], 6);
}

INSTANTIATE_TEST_SUITE_P(Forms, Remembering, testing::Values(Form::gpu_sam, Form::gpu_sparc, Form::safe));

}  // namespace
}  // namespace samcl::analysis
