// The papers' examples, and small sets whose bounds can be counted by hand.
#include "analysis/access/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/access/testing/simulator.h"
#include "analysis/access/testing/small_sets.h"

namespace samcl::analysis::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Chen, Nelissen & Huang, ECRTS 2016: (C, S, T) = (4, 5, 10), (6, 1, 19), (4, 0, 50) on one CPU.
TaskSet unifying_example() {
  return set_of(1, {task(10, 0, {4, 0}, {{0, 5}}), task(19, 0, {6, 0}, {{0, 1}}), task(50, 0, {4})}, true);
}

TEST(Suspensions, TheUnifyingExampleIsBoundedBy32) {
  EXPECT_THAT(analyse(unifying_example(), Analysis::unified).response, ElementsAre(9, 15, 32));
}

TEST(Suspensions, JitterAloneTells42) {
  EXPECT_THAT(analyse(unifying_example(), Analysis::jitter).response, ElementsAre(9, 15, 42));
}

TEST(Suspensions, BlockingAddsTheLesserOfComputingAndWaiting) {
  // T2: 7 + min(4, 5) + 4 ceil(t / 10); T3: 4 + 4 + 1 + 4 ceil(t / 10) + 6 ceil(t / 19).
  EXPECT_THAT(analyse(unifying_example(), Analysis::blocking).response, ElementsAre(9, 19, 37));
}

TEST(Suspensions, CountedAsComputingTheyAreTooMuch) {
  const Bounds bounds = analyse(unifying_example(), Analysis::oblivious);
  EXPECT_FALSE(bounds.schedulable);
  EXPECT_THAT(bounds.response, ElementsAre(9, kUnbounded, kUnbounded));
}

// Lehoczky, RTSS 1990: (C, T) = (26, 70), (62, 100), D = 118. The longest response is the fifth job's.
TEST(Suspensions, DeadlinesAboveThePeriodLookAtAllJobsOfABusyWindow) {
  TaskSet set = set_of(1, {task(70, 0, {26}), task(100, 0, {62})});
  set.tasks[1].deadline = 118;
  EXPECT_THAT(analyse(set, Analysis::oblivious).response, ElementsAre(26, 118));
  set.tasks[1].deadline = 117;
  const Bounds late = analyse(set, Analysis::oblivious);
  EXPECT_FALSE(late.schedulable);
  EXPECT_THAT(beyond_proof(set, late, Analysis::oblivious), ElementsAre(kUnbounded, 118));
}

TEST(Suspensions, LateReleasesOfMoreUrgentTasksCountTwice) {
  TaskSet set = set_of(1, {task(10, 0, {3}), task(20, 0, {7})});
  EXPECT_THAT(analyse(set, Analysis::jitter).response, ElementsAre(3, 10));
  set.tasks[0].jitter = 1;
  EXPECT_THAT(analyse(set, Analysis::jitter).response, ElementsAre(4, 13));
  EXPECT_THAT(analyse(set, Analysis::oblivious).response, ElementsAre(4, 13));
}

TEST(Gcaps, TheExampleFailsAndPassesWithOtherGpuPrioritiesAsPublished) {
  TaskSet set = gcaps_example();
  const Costs costs = {1};
  const Bounds same = analyse(set, Analysis::gcaps_published, costs);
  EXPECT_FALSE(same.schedulable);
  EXPECT_EQ(same.response[3], kUnbounded);
  std::swap(set.tasks[2].gpu_rank, set.tasks[3].gpu_rank);
  EXPECT_TRUE(analyse(set, Analysis::gcaps_published, costs).schedulable);
}

// Wang et al., ECRTS 2024, Table 4, in units of 10 us. The text has neither G^m, nor eps for Table 5, nor how it is
// rounded: these are what gives both of its columns for GCAPS.
TaskSet case_study(bool busy, Time misc) {
  TaskSet set =
      set_of(2, {task(10'000, 0, {100}, {{0, 1000}}), task(15'000, 1, {200}, {{misc, 1200 - misc}}),
                 task(20'000, 1, {6700}), task(30'000, 0, {1200}, {{0, 1500}}), task(40'000, 0, {200}, {{0, 1600}})});
  for (Task& each : set.tasks) each.busy = busy;
  return set;
}

std::vector<Time> to_the_nearest_ms(std::vector<Time> response) {
  for (Time& each : response) each = (each + 50) / 100;
  return response;
}

TEST(Gcaps, TheCaseStudysPublishedBoundsAreThoseOfAnUpdateOf1365Us) {
  const auto bounds = [](bool busy, Time update, Time misc) {
    return to_the_nearest_ms(analyse(case_study(busy, misc), Analysis::gcaps_published, {update}).response);
  };
  for (const Time update : {136, 137}) {
    EXPECT_THAT(bounds(false, update, 225), ElementsAre(16, 32, 75, 59, 79));
    EXPECT_THAT(bounds(true, update, 225), ElementsAre(16, 32, 111, 59, 79));
  }
  for (const Time misc : {0, 100, 225, 300}) {
    // The longest update that Fig. 12 has: less, and all of G^m in T3's bound cannot make up for it.
    EXPECT_THAT(bounds(false, 102, misc), ElementsAre(15, 30, testing::Lt(76), testing::Lt(59), testing::Lt(79)));
    EXPECT_THAT(bounds(true, 102, misc), ElementsAre(15, 30, 108, testing::Lt(59), testing::Lt(79)));
  }
}

// GPU of T1 while T1 launches: the paper counts its G^e alone.
TEST(Gcaps, ThePublishedBoundIsExceededWhereTheUserOfTheGpuComputes) {
  const TaskSet set = set_of(2, {task(34, 1, {3, 1}, {{4, 1}}), task(59, 0, {3, 4}, {{3, 6}})});
  const std::vector<SimulatedJob> jobs = {
      {0, 27, 27, {3, 1}, {{0, 1, 4}}}, {0, 61, 61, {3, 1}, {{4, 1, 0}}}, {1, 30, 30, {3, 4}, {{0, 6, 3}}}};
  const std::vector<Time> took = simulate(set, Analysis::gcaps, {}, jobs);
  EXPECT_EQ(analyse(set, Analysis::gcaps_published).response[1], 17);
  EXPECT_EQ(took[1], 18);
  EXPECT_GE(analyse(set, Analysis::gcaps).response[1], 18);
}

TEST(Locks, ALessUrgentSegmentBlocksOnceARequestWhereTheMostUrgentIsNext) {
  const TaskSet set =
      set_of(3, {task(100, 0, {1, 1}, {{1, 5}}), task(100, 1, {1, 1}, {{2, 8}}), task(100, 2, {1, 1}, {{3, 9}})});
  // 8 + 12; T2: 12 + 12 + 6; T3: 14 + 6 + 10.
  EXPECT_THAT(analyse(set, Analysis::mpcp).response, ElementsAre(20, 30, 30));
  // All others once: 8 + 10 + 12.
  EXPECT_THAT(analyse(set, Analysis::fmlp).response, ElementsAre(30, 30, 30));
}

TEST(Locks, AsPublishedCountOtherThings) {
  const TaskSet set =
      set_of(3, {task(100, 0, {1, 1}, {{1, 5}}), task(100, 1, {1, 1}, {{2, 8}}), task(100, 2, {1, 1}, {{3, 9}})});
  // MPCP counts each segment with the longest of all more urgent tasks: 6, 10 + 6, 12 + 6 + 10.
  EXPECT_THAT(analyse(set, Analysis::mpcp_published).response, ElementsAre(8 + 28, 12 + 6 + 28, 14 + 6 + 16));
  EXPECT_THAT(analyse(set, Analysis::fmlp_published).response, ElementsAre(30, 30, 30));
  // The server, with T2: segments and one message's time, two jobs of each more urgent task, two of each other's G^m.
  EXPECT_THAT(analyse(set, Analysis::server_published, {1, 1, 0, 1}).response,
              ElementsAre(10 + 13, 14 + 13 + 2 * 7 + 2 * (3 + 5), 16 + 2 * (7 + 11)));
}

// On one CPU a less urgent request waits for the more urgent one's G^e, which FMLP+ as published does not count.
TEST(Locks, ThePublishedFmlpIsExceededByAMoreUrgentTaskOfTheSameCpu) {
  TaskSet set = set_of(1, {task(34, 0, {3, 3, 3}, {{0, 1}, {3, 4}}), task(29, 0, {3, 1}, {{2, 1}})});
  const std::vector<SimulatedJob> jobs = {{0, 0, 0, {3, 3, 3}, {{0, 1, 0}, {0, 4, 3}}}, {1, 0, 0, {3, 1}, {{1, 1, 1}}}};
  EXPECT_EQ(analyse(set, Analysis::fmlp_published).response[1], 19);
  EXPECT_EQ(simulate(set, Analysis::fmlp, {}, jobs)[1], 20);
  EXPECT_GE(analyse(set, Analysis::fmlp).response[1], 20);
}

// Each segment costs the server two messages; the published form counts one with each segment ahead.
TEST(Locks, ThePublishedServerIsExceededWhereBothMessagesOfASegmentAheadCost) {
  const TaskSet set = set_of(3, {task(27, 1, {2, 3}, {{2, 1}}), task(50, 2, {3, 2}, {{2, 1}})});
  const Costs costs = {2, 1, 0, 0};
  const std::vector<SimulatedJob> jobs = {{0, 2, 2, {2, 3}, {{2, 1, 0}}}, {1, 0, 0, {3, 2}, {{2, 1, 0}}}};
  EXPECT_EQ(analyse(set, Analysis::server_published, costs).response[0], 17);
  EXPECT_EQ(simulate(set, Analysis::server, costs, jobs)[0], 18);
  EXPECT_GE(analyse(set, Analysis::server, costs).response[0], 18);
}

TEST(Locks, OnlyALocalSegmentDelaysATaskWithoutOne) {
  const TaskSet set = set_of(2, {task(50, 0, {10}), task(50, 0, {1, 1}, {{2, 8}}), task(50, 1, {1, 1}, {{3, 9}})});
  EXPECT_EQ(analyse(set, Analysis::mpcp).response[0], 12);
  EXPECT_EQ(analyse(set, Analysis::server, {1, 1, 0, 1}).response[0], 10) << "the server is elsewhere";
}

TEST(Locks, KeepingTheCpuDelaysMoreUrgentTasksThereByTheGpusTime) {
  TaskSet set = set_of(1, {task(50, 0, {10}), task(50, 0, {1, 1}, {{2, 8}})});
  set.tasks[1].busy = true;
  EXPECT_EQ(analyse(set, Analysis::mpcp).response[0], 20);
}

TEST(RoundRobin, AllOthersHaveASliceForEachOfOnes) {
  const TaskSet set = set_of(3, {task(99, 0, {1, 1}, {{0, 5}}), task(99, 1, {1, 1}, {{0, 4}}), task(99, 2, {9})});
  // Five nanoseconds in slices of two: three times 2 + 1 of the other's, and 1 before its own.
  EXPECT_EQ(analyse(set, Analysis::round_robin, {0, 2, 1, 0}).response[0], 2 + 5 + 3 * 4);
}

TEST(Access, WhatAnAnalysisDoesNotKnowIsNamed) {
  const auto complaint = [](const TaskSet& set, Analysis analysis, const Costs& costs = {}) {
    const auto good = check(set, analysis, costs);
    return good ? "none" : good.error().message;
  };
  TaskSet set = set_of(1, {task(50, 0, {1, 1}, {{2, 8}}), task(60, 0, {1, 1}, {{2, 8}})});
  EXPECT_EQ(complaint(set, Analysis::gcaps), "none");
  EXPECT_EQ(complaint(set, Analysis::jitter), "task \"T2\", devices: that of \"T1\" too, expected its own for jitter");
  set.tasks[1].busy = true;
  EXPECT_THAT(complaint(set, Analysis::gcaps_published), HasSubstr("busy_waits: expected the same"));
  EXPECT_THAT(complaint(set, Analysis::server_published), HasSubstr("busy_waits: expected false"));
  std::swap(set.tasks[0].gpu_rank, set.tasks[1].gpu_rank);
  EXPECT_THAT(complaint(set, Analysis::mpcp_published), HasSubstr("gpu_priority: expected the order of the CPUs'"));
  set.tasks[1].deadline = 70;
  EXPECT_EQ(complaint(set, Analysis::mpcp), "task \"T2\", deadline: 70 ns, expected at most the period, 60, for mpcp");
  set.tasks[0].jitter = 1;
  EXPECT_THAT(complaint(set, Analysis::unified), HasSubstr("jitter: 1 ns, expected 0 for unified"));
  EXPECT_THAT(complaint(set, Analysis::server, {0, 1, 0, 1}), HasSubstr("the server's CPU: 1, expected 0 to 0"));
  set = set_of(1, {task(50, 0, {1, 1}, {{2, 8}}), task(60, 0, {1, 1}, {{2, 8}})}, true);
  EXPECT_THAT(complaint(set, Analysis::gcaps), HasSubstr("expected one device for gcaps"));
}

}  // namespace
}  // namespace samcl::analysis::access
