// Stages that ask for their resource several times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/rta/response_time.h"
#include "analysis/rta/waits.h"
#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

// One CPU and one link. "urgent" makes three transfers of 6 ns together, "other" one in sections of 4 ns.
TaskSet three_transfers() {
  TaskSet set;
  set.tasks = {{"urgent", 40, 40, 2, {{Resource::link, {6}, {}, {}, 3}}},
               {"other", 100, 100, 1, {{Resource::link, {12}, {}, {4}}}}};
  return set;
}

Time response(const TaskSet& set, size_t task) {
  EXPECT_TRUE(check(set)) << check(set).error().message;
  return analyse(set, Modes(set.tasks.size(), 1), Form::safe).tasks[task].response;
}

TEST(Requests, EachCanFindASectionOfALessUrgentTask) {
  // 6 and two pauses of 1 ns; three sections of which 3 ns are left.
  EXPECT_EQ(response(three_transfers(), 0), 6 + 2 + 3 * 3);
  // What the pauses let in is what happens.
  const BehaviourPlan plan{{{{1, {}, {{{2, 1}, {4, 1}}}}}, {{0, {}}}}, {}};
  const TaskSet set = three_transfers();
  EXPECT_EQ(play(set, priority_order(set), Modes{1, 1}, plan).longest[0], 17);
}

TEST(Requests, OfASingleOneThereIsOneSection) {
  TaskSet set = three_transfers();
  set.tasks[0].stages[0].requests = 1;
  EXPECT_EQ(response(set, 0), 6 + 3);
}

TEST(Requests, WhatIsBetweenThemWaitsForTheCpu) {
  TaskSet set = three_transfers();
  set.tasks[0].stages[0].between = {5};
  EXPECT_EQ(response(set, 0), 6 + 5 + 3 * 3);
  set.tasks.push_back({"busy", 60, 60, 3, {{Resource::cpu, {4}, {}}}});
  EXPECT_EQ(response(set, 0), 6 + 5 + 3 * 3 + 4);
}

TEST(Requests, WhatIsBetweenThemDelaysLessUrgentTasksOnTheCpu) {
  TaskSet set = three_transfers();
  set.tasks[0].stages[0].between = {5};
  set.tasks.push_back({"thinker", 100, 100, 0, {{Resource::cpu, {10}, {}}}});
  EXPECT_EQ(response(set, 2), 10 + 5);
}

TEST(Requests, AreUnknownToThePublishedForms) {
  EXPECT_THAT(check(three_transfers(), Form::gpu_sam).error().message,
              HasSubstr("task \"urgent\", stage 1 (PCI), requests: 3, expected 1 for the published forms"));
  EXPECT_TRUE(check(three_transfers(), Form::safe));
}

// One CPU and two links, each of which has a half of two transfers of 10 ns, 10 ns of CPU time for both.
TEST(Requests, EndWithAnotherLinkEachTimeAndWaitForAllThatTheOthersCompute) {
  TaskSet set;
  set.platform = {1, 2, 2, true};
  set.tasks = {{"copies", 100, 100, 1, {{Resource::link, {20, 20}, {}, {}, 2, {1, 1}, {10, 10}}}}};
  const Modes modes{2};
  EXPECT_EQ(analyse(set, modes, Form::safe).tasks[0].response, 20 + 1 + 2 * 10);
  // Each half computes while the other one waits to do so for a nanosecond: 9 ns, and the 8 that the second has left
  // but for another one.
  BehaviourPlan plan{{{{0, {{20, 20}}, {{{10, 1}}}}}}, {}};
  plan.in_turn = true;
  EXPECT_EQ(play(set, priority_order(set), modes, plan).longest[0], 20 + 1 + 9 + 8);
  set.tasks[0].stages[0].requests = 1;
  set.tasks[0].stages[0].between = {0, 0};
  EXPECT_EQ(analyse(set, modes, Form::safe).tasks[0].response, 20 + 10);
}

TEST(Requests, BeyondAllNumbersAreUnbounded) {
  TaskSet set = three_transfers();
  set.tasks[0].period = set.tasks[0].deadline = kLongest;
  set.tasks[0].stages[0] = {Resource::link, {kLongest}, {}, {}, kMaxRequests, {kLongest}};
  set.tasks[1] = {"other", kLongest, kLongest, 1, {{Resource::link, {kLongest}, {}}}};
  EXPECT_EQ(response(set, 0), kUnbounded);
}

TEST(Requests, WaitsNameWhoIsInTheWayOnTheCpuToo) {
  TaskSet set = three_transfers();
  set.tasks.push_back({"busy", 60, 60, 3, {{Resource::cpu, {4}, {}}}});
  const Modes modes(3, 1);
  const Bounds bounds = analyse(set, modes, Form::safe);
  const auto all = waits(set, modes, Form::safe, priority_order(set), bounds, 0);
  ASSERT_EQ(all.at(0).urgent.size(), 1U);
  EXPECT_EQ(all[0].urgent[0].task, 2U);
  EXPECT_EQ(all[0].urgent[0].time, 4);
  ASSERT_EQ(all[0].sections.size(), 1U);
  EXPECT_EQ(all[0].sections[0].time, 9);
}

}  // namespace
}  // namespace samcl::analysis
