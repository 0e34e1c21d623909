#include "analysis/rta/exact.h"

#include <gtest/gtest.h>

#include <iostream>

#include "analysis/sim/longest.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

constexpr int64_t kStates = 10'000;

Stage uncut(Resource resource, Time worst, Time best) { return {resource, {worst}, {best}}; }

// Davis, Burns, Bril & Lukkien, "Controller Area Network (CAN) schedulability analysis" (2007), Section 3: C's second
// message is the late one.
TEST(Exact, FindsTheLateMessageOfCan) {
  TaskSet set;
  set.platform.cpus = 3;
  const Stage message = uncut(Resource::link, 10, 10);
  set.tasks = {{"A", 25, 25, 3, {message}}, {"B", 35, 32, 2, {message}}, {"C", 35, 35, 1, {message}}};
  const Modes modes = {1, 1, 1};
  ASSERT_TRUE(check_exact(set, modes));
  const Exact exact = analyse_exact(set, modes, kStates);
  EXPECT_TRUE(exact.finished && exact.schedulable);
  EXPECT_EQ(exact.response, (std::vector<Time>{20, 30, 35}));
  set.tasks[2].deadline = 34;
  EXPECT_FALSE(analyse_exact(set, modes, kStates).schedulable);
}

// P1's kernel takes 8, so that P2's transfer of 6 delays one of P1's transfers only, and is itself delayed by one.
TEST(Exact, KnowsThatATransferIsOverWhileAKernelRuns) {
  TaskSet set;
  set.platform.cpus = 2;
  set.tasks = {
      {"P1", 30, 30, 2, {uncut(Resource::link, 3, 3), uncut(Resource::gpu, 8, 8), uncut(Resource::link, 3, 3)}},
      {"P2", 40, 40, 1, {uncut(Resource::link, 6, 6)}}};
  const Modes modes = {1, 1};
  EXPECT_EQ(analyse(set, modes, Form::safe).tasks[0].response, 5 + 3 + 8 + 5 + 3);
  const Exact exact = analyse_exact(set, modes, kStates);
  EXPECT_TRUE(exact.finished && exact.schedulable);
  EXPECT_EQ(exact.response, (std::vector<Time>{6 + 3 + 8 + 3, 3 + 6}));
}

TEST(Exact, SaysWhatItDoesNotKnow) {
  TaskSet set;
  set.tasks = {{"P1", 30, 30, 2, {uncut(Resource::cpu, 3, 3)}}, {"P2", 40, 40, 1, {uncut(Resource::cpu, 6, 6)}}};
  const Modes modes = {1, 1};
  EXPECT_EQ(check_exact(set, modes).error().message, "2 threads share 1 CPUs: expected one for each");
  set.platform.cpus = 2;
  EXPECT_TRUE(check_exact(set, modes));
  for (Task& task : set.tasks) task.stages = {{Resource::gpu, {6}, {}, {2}}};
  EXPECT_EQ(check_exact(set, modes).error().message,
            "task \"P1\", stage 1 (GPU): cut into sections on a resource that tasks share, expected never cut");
  set.platform.bound = true;
  EXPECT_FALSE(check_exact(set, modes));
}

TEST(Exact, StopsWhereItWasTold) {
  TaskSet set;
  set.platform.cpus = 2;
  const Stage cpu = uncut(Resource::cpu, 9, 0), link = uncut(Resource::link, 7, 0);
  set.tasks = {{"P1", 90, 90, 2, {link, cpu, link, cpu, link}}, {"P2", 97, 97, 1, {link, cpu, link, cpu, link}}};
  EXPECT_FALSE(analyse_exact(set, Modes{1, 1}, 10).finished);
  EXPECT_TRUE(analyse_exact(set, Modes{1, 1}, kStates).finished);
}

struct Found {
  int64_t sets = 0, schedulable = 0, missed = 0, bounds = 0, attained = 0;
};

// Responses in continuous time may be longer by a nanosecond for each section that is found, 1 ns of which is over in
// the model: that many stages.
Time above_the_models(const Task& task) { return static_cast<Time>(task.stages.size()); }

// Those nanoseconds can let in another job, and that delays by more. The safe form takes a section that is found as 1
// ns shorter than it is.
TaskSet with_longer_sections(TaskSet set) {
  for (Task& task : set.tasks)
    for (Stage& stage : task.stages)
      if (stage.resource != Resource::cpu)
        for (Time& time : stage.worst) ++time;
  return set;
}

void challenge(const TaskSet& set, const Modes& modes, Random& random, Found& found) {
  const PriorityOrder order = priority_order(set);
  const Exact exact = analyse_exact(set, modes, kStates, order);
  if (!exact.finished) return;
  ++found.sets;
  const LongestFound seen = find_longest(set, order, modes, order, {12, 4, 48}, random);
  const auto& longest = seen.response;
  const bool missed = seen.late(set);
  found.schedulable += exact.schedulable ? 1 : 0;
  found.missed += missed ? 1 : 0;
  ASSERT_FALSE(missed && exact.schedulable);
  const Bounds safe = analyse(with_longer_sections(set), modes, Form::safe, order);
  EXPECT_LE(safe.schedulable, exact.schedulable);
  if (!exact.schedulable) return;
  for (size_t i = 0; i < longest.size(); ++i) {
    ++found.bounds;
    ASSERT_LE(longest[i], exact.response[i]) << "task " << i;
    if (safe.tasks[i].proven) {
      EXPECT_LE(exact.response[i], safe.tasks[i].response);
    }
    found.attained += longest[i] + above_the_models(set.tasks[i]) >= exact.response[i] ? 1 : 0;
  }
}

class ExactForm : public testing::TestWithParam<Shape> {};

TEST_P(ExactForm, IsWhatSimulationsFind) {
  const TestSeed seed;
  const int64_t count = test_sets(200);
  Random random(seed);
  Found found;
  for (int64_t n = 0; n < count;) {
    auto [set, modes] = random_set(GetParam(), random);
    set.platform.cpus = static_cast<int>(set.tasks.size());
    if (set.tasks.size() < 2 || !check_exact(set, modes)) continue;
    challenge(set, modes, random, found);
    ASSERT_FALSE(HasFailure()) << "set " << n;
    ++n;
  }
  std::cout << found.sets << " sets, " << found.schedulable << " schedulable, a deadline missed in " << found.missed
            << "; " << found.bounds << " responses, " << found.attained << " attained\n";
  EXPECT_GT(found.schedulable, 0);
  EXPECT_GT(2 * found.attained, found.bounds);
}

INSTANTIATE_TEST_SUITE_P(OneElementEach, ExactForm, testing::Values(Shape{3, 4, 1, 60, true, false}));
INSTANTIATE_TEST_SUITE_P(SeveralElements, ExactForm, testing::Values(Shape{3, 3, 2, 60, true, false}));
INSTANTIATE_TEST_SUITE_P(NoBestCases, ExactForm, testing::Values(Shape{2, 6, 1, 90, false, false}));

}  // namespace
}  // namespace samcl::analysis
