#include "analysis/locking/experiment/quick_test.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/generator/draw.h"
#include "analysis/locking/experiment/draw_set.h"
#include "analysis/locking/testing/random_set.h"
#include "analysis/locking/verdicts.h"
#include "base/test_seed.h"

namespace samcl::analysis::locking {
namespace {

struct Count {
  int64_t sets = 0, fmlp_long = 0, omlp = 0, containers = 0;
};

void expect_the_same(const QuickSet& quick, int cpus, TardinessBound bound, Count& count) {
  const TaskSet set = task_set(quick, cpus);
  const Verdicts exact = analyse(set, bound);
  const QuickVerdict verdict = quick_test(quick, cpus, bound);
  EXPECT_EQ(verdict.fmlp_long, exact.shared_resource[0].schedulable());
  EXPECT_EQ(verdict.shared_resource(),
            exact.shared_resource[0].schedulable() || exact.shared_resource[1].schedulable());
  EXPECT_EQ(verdict.containers, exact.containers.schedulable());
  for (const int speed_up : kSpeedUps)
    EXPECT_NEAR(quick.effective_utilisation(speed_up), effective_utilisation(set, speed_up), 1e-9);
  ++count.sets;
  count.fmlp_long += verdict.fmlp_long ? 1 : 0;
  count.omlp += verdict.omlp ? 1 : 0;
  count.containers += verdict.containers ? 1 : 0;
}

TEST(QuickTest, GivesTheExactVerdictsOnAllScenarios) {
  const TestSeed seed;
  constexpr TardinessBound kBounds[] = {TardinessBound::least, TardinessBound::devi_anderson,
                                        TardinessBound::compliant_vector};
  QuickSet set;
  Count count;
  for (size_t index = 0; index < kScenarios; ++index) {
    for (uint64_t n = 0; n < 3; ++n)
      if (draw_set(scenario(index), seed_of(seed, 3 * index + n), set))
        expect_the_same(set, scenario(index).cpu_count(), kBounds[n], count);
    ASSERT_FALSE(HasFailure()) << "scenario " << index;
  }
  EXPECT_GT(count.fmlp_long, 0);
  EXPECT_GT(count.containers, 0);
}

// Periods that divide each other, loads of exactly m: where doubles cannot decide.
TEST(QuickTest, GivesTheExactVerdictsAtTheLimits) {
  const TestSeed seed;
  Random random(seed);
  Count count;
  for (int n = 0; n < 3000; ++n) {
    const TaskSet set = random_set({20, 4, 1, 60, 1, n % 2 == 0}, random);
    QuickSet quick;
    for (const Task& task : set.tasks) quick.add({task.period, task.execution(), task.gpu, task.section});
    expect_the_same(quick, set.cpus, TardinessBound::compliant_vector, count);
    ASSERT_FALSE(HasFailure()) << "set " << n;
  }
  EXPECT_GT(count.containers, 0);
}

// Many users with short sections: where the OMLP is better than FMLP-Long.
TEST(QuickTest, GivesTheExactVerdictsWhereTheOmlpMatters) {
  const TestSeed seed;
  Random random(seed);
  Count count;
  const auto draw = [&](Time low, Time high) { return std::uniform_int_distribution<Time>(low, high)(random); };
  for (int n = 0; n < 500; ++n) {
    QuickSet quick;
    const int cpus = static_cast<int>(draw(2, 6));
    for (Time tasks = draw(20, 60); tasks > 0; --tasks) {
      const Time period = draw(1000, 9000), execution = draw(2, 1 + period / 100), gpu = draw(1, execution / 2);
      quick.add({period, execution, gpu, draw(gpu, execution)});
    }
    expect_the_same(quick, cpus, n % 2 == 0 ? TardinessBound::devi_anderson : TardinessBound::compliant_vector, count);
    ASSERT_FALSE(HasFailure()) << "set " << n;
  }
  EXPECT_GT(count.omlp, 10);
}

TEST(DrawnSets, KeepToTheirScenario) {
  QuickSet set;
  int kept = 0;
  for (uint64_t n = 0; n < 20; ++n)
    for (size_t index = 0; index < kScenarios; index += 7) {
      const Scenario where = scenario(index);
      if (!draw_set(where, seed_of(n, index), set)) continue;
      ++kept;
      EXPECT_TRUE(check(task_set(set, where.cpu_count()))) << index;
      EXPECT_LE(set.utilisation(), where.cpu_count());
      EXPECT_LE(set.section_utilisation(), 1) << "Ineq. 13";
      const size_t users = set.users().size(), tasks = set.tasks().size();
      EXPECT_GE(users, 2);
      EXPECT_GE(10 * users, where.share * tasks);
      EXPECT_LE(10 * users, (where.share + 1) * tasks);
      for (const QuickTask& task : set.tasks()) {
        const auto [unused, low, high] = kUtilisations[where.utilisation];
        const double utilisation = static_cast<double>(task.execution) / static_cast<double>(task.period);
        EXPECT_NEAR(utilisation, (low + high) / 2, (high - low) / 2 + 1e-6);
        EXPECT_GE(static_cast<double>(task.period), kPeriods[where.period].low);
        EXPECT_LE(static_cast<double>(task.period), kPeriods[where.period].high);
        if (task.gpu > 0) {
          EXPECT_EQ(task.section, task.execution * kGpuUse[where.gpu_use] / 100);
        }
      }
    }
  EXPECT_GT(kept, 500);
}

// Two of at least 20 tasks, each of at least half a CPU.
TEST(DrawnSets, OfHeavyTasksWithATenthOnTheGpuDoNotExistOnFourCpus) {
  QuickSet set;
  for (uint64_t n = 0; n < 2000; ++n) EXPECT_FALSE(draw_set({2, 0, 0, 0, 0}, n, set));
}

}  // namespace
}  // namespace samcl::analysis::locking
