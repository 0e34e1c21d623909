#include "analysis/sim/testing/every_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "analysis/json/task_set_json.h"
#include "analysis/rta/together.h"
#include "analysis/sim/longest.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

Followed follow(const SmallSet& small) {
  return follow_every_schedule(small, analyse(small.set, small.modes, Form::safe), 1'000'000);
}

// PROOF.md, the first case in which published bounds are exceeded.
TEST(EverySchedule, FindsTheLongestResponseOfAPipelineInTheProof) {
  SmallSet small;
  small.set.tasks = {{"P1", 12, 12, 2, {{Resource::cpu, {4}, {}}, {Resource::link, {5}, {}}, {Resource::cpu, {1}, {}}}},
                     {"P2", 18, 18, 1, {{Resource::cpu, {5}, {}}}}};
  small.modes = {1, 1};
  const Followed followed = follow(small);
  EXPECT_TRUE(followed.whole);
  EXPECT_EQ(followed.longest, (std::vector<Time>{10, 11}));
}

TEST(EverySchedule, FindsWhatComputesInTurn) {
  SmallSet small;
  small.set.platform = {1, 2, 2, true};
  small.set.tasks = {{"copies", 20, 20, 1, {{Resource::link, {6, 6}, {}, {}, 2, {1, 1}, {3, 3}}}}};
  small.modes = {2};
  const Followed followed = follow(small);
  EXPECT_TRUE(followed.whole) << followed.states;
  // The one link's half computes for 2 ns while the other's waits for its first, then that for 2.
  EXPECT_EQ(followed.longest[0], 6 + 1 + 2 + 2);
}

class EveryScheduleOf : public testing::TestWithParam<Shape> {};

// To the safe form's, and to lower ones where theorem 4 says so.
TEST_P(EveryScheduleOf, KeepsToTheBounds) {
  const TestSeed seed;
  Random random(seed);
  const int64_t count = test_sets(200);
  const size_t most = test_number("SAMCL_STATES", 30'000);
  int64_t sets = 0, whole = 0, bounds = 0, attained = 0;
  size_t states = 0;
  while (whole < count) {
    const SmallSet small = random_set(GetParam(), random);
    const Bounds known = analyse_together(small.set, small.modes);
    if (!can_follow(small) ||
        std::none_of(known.tasks.begin(), known.tasks.end(), [](const auto& b) { return b.proven; }))
      continue;
    ++sets;
    const Followed followed = follow_every_schedule(small, known, most);
    states += followed.states;
    ASSERT_FALSE(followed.beyond) << format_task_set({small.set, small.modes}) << "task "
                                  << small.set.tasks[*followed.beyond].name << ": bound "
                                  << known.tasks[*followed.beyond].response << "\n"
                                  << followed.schedule;
    if (!followed.whole) continue;
    ++whole;
    for (size_t i = 0; i < known.tasks.size(); ++i) {
      if (!known.tasks[i].proven) continue;
      ++bounds;
      attained += followed.longest[i] == known.tasks[i].response ? 1 : 0;
    }
    // What is simulated is among what was followed.
    std::vector<size_t> tasks;
    for (size_t i = 0; i < known.tasks.size(); ++i) tasks.push_back(i);
    if (!known.schedulable) continue;
    const LongestFound found =
        find_longest(small.set, priority_order(small.set), small.modes, tasks, {4, 6, 6}, random, false);
    for (size_t i = 0; i < tasks.size(); ++i)
      ASSERT_LE(found.response[i], followed.longest[i])
          << format_task_set({small.set, small.modes}) << small.set.tasks[i].name;
  }
  std::cout << sets << " sets, " << whole << " followed to the end, " << states << " states, " << bounds << " bounds, "
            << attained << " attained\n";
}

// Longer runs: SAMCL_SETS=20000, SAMCL_STATES=1000000 (per shape: tasks, stages, elements, period, best cases,
// sections, bound, requests, host, threads, late, work).
INSTANTIATE_TEST_SUITE_P(OneElementEach, EveryScheduleOf, testing::Values(Shape{3, 2, 1, 14, true, true}));
INSTANTIATE_TEST_SUITE_P(SeveralElements, EveryScheduleOf, testing::Values(Shape{3, 2, 3, 12, true, true}));
INSTANTIATE_TEST_SUITE_P(Pipelines, EveryScheduleOf, testing::Values(Shape{2, 5, 2, 20, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundDevices, EveryScheduleOf, testing::Values(Shape{3, 2, 3, 12, true, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundPipelines, EveryScheduleOf, testing::Values(Shape{2, 5, 2, 20, true, true, true}));
INSTANTIATE_TEST_SUITE_P(Requests, EveryScheduleOf, testing::Values(Shape{3, 2, 2, 12, true, true, false, 3}));
INSTANTIATE_TEST_SUITE_P(RequestsBound, EveryScheduleOf, testing::Values(Shape{2, 3, 2, 14, true, true, true, 3}));
INSTANTIATE_TEST_SUITE_P(Host, EveryScheduleOf, testing::Values(Shape{2, 3, 2, 14, true, true, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(HostThreeTasks, EveryScheduleOf,
                         testing::Values(Shape{3, 2, 2, 12, true, true, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(HostRequests, EveryScheduleOf, testing::Values(Shape{2, 2, 3, 12, true, true, true, 3, true}));
INSTANTIATE_TEST_SUITE_P(Threads, EveryScheduleOf, testing::Values(Shape{3, 2, 3, 12, true, true, false, 2, false, 3}));
INSTANTIATE_TEST_SUITE_P(ThreadsHost, EveryScheduleOf,
                         testing::Values(Shape{2, 2, 2, 12, true, true, true, 2, true, 2}));
INSTANTIATE_TEST_SUITE_P(Work, EveryScheduleOf,
                         testing::Values(Shape{2, 3, 2, 12, true, true, true, 2, true, 2, false, true}));

}  // namespace
}  // namespace samcl::analysis
