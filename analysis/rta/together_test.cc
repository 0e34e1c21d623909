#include "analysis/rta/together.h"

#include <gtest/gtest.h>

#include <iostream>

#include "analysis/generator/draw.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/sim/longest.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

// One CPU, link and GPU. P1 has two kernels; P2's kernel of 30, once in 400, can be in front of one of them
// only.
TEST(Together, CountsALessUrgentKernelOnceAJob) {
  TaskSet set;
  const auto gpu = [](Time worst) { return Stage{Resource::gpu, {worst}, {worst}}; };
  set.tasks = {{"P1", 100, 100, {}, {gpu(10), {Resource::cpu, {5}, {5}}, gpu(10)}}, {"P2", 400, 400, {}, {gpu(30)}}};
  const Modes modes = {1, 1};
  EXPECT_EQ(analyse(set, modes, Form::safe).tasks[0].response, 29 + 10 + 5 + 29 + 10);
  const Bounds together = analyse_together(set, modes);
  EXPECT_EQ(together.tasks[0].response, 29 + 10 + 5 + 10);
  EXPECT_TRUE(together.schedulable && together.together);
  set.tasks[1].period = set.tasks[1].deadline = 60;  // two of its jobs can be under way beside one of P1
  set.tasks[0].priority = 2;
  set.tasks[1].priority = 1;
  EXPECT_EQ(analyse_together(set, modes).tasks[0].response, 29 + 10 + 5 + 29 + 10);
}

TEST(Together, SaysNoMoreWhereATaskMayExceedItsPeriod) {
  TaskSet set;
  set.tasks = {{"P1", 10, 10, {}, {{Resource::gpu, {4}, {}}}}, {"P2", 12, 12, {}, {{Resource::gpu, {8}, {}}}}};
  const Modes modes = {1, 1};
  const Bounds safe = analyse(set, modes, Form::safe), together = analyse_together(set, modes);
  EXPECT_FALSE(together.schedulable || together.together);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(together.tasks[i].response, safe.tasks[i].response);
    EXPECT_EQ(together.tasks[i].proven, safe.tasks[i].proven);
  }
}

struct Found {
  int64_t bounds = 0, tighter = 0, attained = 0;
};

void challenge(const SmallSet& small, Random& random, Found& found) {
  const auto& [set, modes] = small;
  const Bounds safe = analyse(set, modes, Form::safe), together = analyse_together(set, modes);
  const PriorityOrder order = priority_order(set);
  const auto longest = find_longest(set, order, modes, order, {6, 4, 45}, random).response;
  for (size_t i = 0; i < longest.size(); ++i) {
    EXPECT_LE(together.tasks[i].response, safe.tasks[i].response);
    EXPECT_GE(together.tasks[i].proven, safe.tasks[i].proven);
    if (!together.tasks[i].proven) continue;
    ++found.bounds;
    found.tighter += together.tasks[i].response < safe.tasks[i].response ? 1 : 0;
    found.attained += longest[i] == together.tasks[i].response ? 1 : 0;
    ASSERT_LE(longest[i], together.tasks[i].response) << "task " << i;
  }
}

class TogetherForm : public testing::TestWithParam<Shape> {};

TEST_P(TogetherForm, IsNotExceededInSimulations) {
  const TestSeed seed;
  const int64_t count = test_sets(1500);
  Random random(seed);
  Found found;
  for (int64_t n = 0; n < count; ++n) {
    challenge(random_set(GetParam(), random), random, found);
    ASSERT_FALSE(HasFailure()) << "set " << n;
  }
  std::cout << found.bounds << " bounds, " << found.tighter << " tighter than the safe form's, " << found.attained
            << " attained\n";
  EXPECT_GT(found.tighter, 0);
}

INSTANTIATE_TEST_SUITE_P(OneElementEach, TogetherForm, testing::Values(Shape{3, 4, 1, 60, true, false}));
INSTANTIATE_TEST_SUITE_P(SeveralElements, TogetherForm, testing::Values(Shape{5, 5, 3, 90, true, true}));
INSTANTIATE_TEST_SUITE_P(WholeStages, TogetherForm, testing::Values(Shape{5, 5, 4, 90, true, false}));
INSTANTIATE_TEST_SUITE_P(Work, TogetherForm,
                         testing::Values(Shape{4, 6, 3, 90, true, false, false, 1, false, 1, false, true}));
INSTANTIATE_TEST_SUITE_P(LongPipelines, TogetherForm, testing::Values(Shape{4, 9, 3, 160, false, false}));

// More of GPU-SAM's sets are schedulable, and none is lost.
TEST(Together, MakesMoreOfThePapersSetsSchedulable) {
  PaperSet wanted;
  wanted.classes = true;
  wanted.most_share = 0.3;
  wanted.gpu_utilisation = 0.6;
  int safe = 0, together = 0;
  for (uint64_t n = 0; n < 60; ++n) {
    const TaskSet set = paper_set(wanted, seed_of(1, n));
    const Modes modes(set.tasks.size(), 1);
    const bool before = analyse(set, modes, Form::safe).schedulable, now = analyse_together(set, modes).schedulable;
    EXPECT_LE(before, now);
    safe += before ? 1 : 0;
    together += now ? 1 : 0;
  }
  std::cout << safe << " of 60 by the safe form, " << together << " together\n";
  EXPECT_GT(together, safe);
}

}  // namespace
}  // namespace samcl::analysis
