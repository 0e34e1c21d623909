#include "analysis/sim/aligned_plan.h"

#include <gtest/gtest.h>

#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

// P2 comes for the link a tenth of a second after its release: P1's transfer of 5 ns delays it only if it begins then.
TEST(AlignedPlan, MeetsATransferThatIsFarFromItsRelease) {
  TaskSet set;
  set.platform.cpus = 2;
  set.tasks = {{"P1", 900'000'000, 900'000'000, 2, {{Resource::cpu, {7}, {7}}, {Resource::link, {5}, {5}}}},
               {"P2",
                1'000'000'000,
                1'000'000'000,
                1,
                {{Resource::cpu, {100'000'000}, {100'000'000}}, {Resource::link, {3}, {3}}}}};
  const Modes modes = {1, 1};
  const PriorityOrder order = priority_order(set);
  BehaviourPlan plan;
  plan.jobs = {{{0, {{7}, {5}}}}, {{0, {{100'000'000}, {3}}}}};
  const TestSeed seed;
  Random random(seed);
  Time longest = 0;
  for (int n = 0; n < 100; ++n)
    longest = std::max(longest, play(set, order, modes, aligned(set, order, modes, plan, 1, random)).longest[1]);
  EXPECT_EQ(longest, 100'000'008);
}

TEST(AlignedPlan, KeepsToPeriodsAndExecutionTimes) {
  const TestSeed seed;
  Random random(seed);
  for (int n = 0; n < 300; ++n) {
    const auto [set, modes] = random_set(Shape{5, 5, 3, 90, true, true}, random);
    BehaviourPlan plan = random_plan(set, modes, 4, random);
    for (int change = 0; change < 5; ++change)
      plan = aligned(set, priority_order(set), modes, plan, static_cast<size_t>(change) % set.tasks.size(), random);
    for (size_t i = 0; i < set.tasks.size(); ++i)
      for (size_t job = 0; job < plan.jobs[i].size(); ++job) {
        ASSERT_GE(plan.jobs[i][job].release, job == 0 ? 0 : plan.jobs[i][job - 1].release + set.tasks[i].period);
        for (size_t j = 0; j < set.tasks[i].stages.size(); ++j)
          for (const Time time : plan.jobs[i][job].execution[j]) {
            ASSERT_GE(time, set.tasks[i].stages[j].best_in(modes[i]));
            ASSERT_LE(time, set.tasks[i].stages[j].worst_in(modes[i]));
          }
      }
  }
}

}  // namespace
}  // namespace samcl::analysis
