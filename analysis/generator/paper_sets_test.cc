#include "analysis/generator/paper_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/generator/draw.h"
#include "analysis/generator/mode_costs.h"
#include "analysis/json/task_set_json.h"
#include "analysis/model/capacity.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;

constexpr Time kMs = 1'000'000;

// Table 3 of GPU-SAM on two GPUs; a straight line beyond.
TEST(ModeCosts, OnTwoGpusAreAsMeasured) {
  EXPECT_THAT(upload_times(100, 4, false), ElementsAre(100, 250, 400, 550));
  EXPECT_THAT(upload_times(100, 4, true), ElementsAre(100, 470, 840, 1210));
  EXPECT_THAT(download_times(100, 3, false), ElementsAre(100, 210, 320));
  EXPECT_THAT(download_times(100, 3, true), ElementsAre(100, 1170, 2240));
  EXPECT_THAT(kernel_times(100, 4), ElementsAre(100, 50, 34, 25));
  EXPECT_THAT(merging_times(7, 100, 3, false), ElementsAre(7, 227, 447));
  EXPECT_THAT(merging_times(7, 100, 3, true), ElementsAre(7, 1277, 2547));
}

TEST(ModeCosts, AreRoundedUp) {
  EXPECT_THAT(upload_times(1, 2, false), ElementsAre(1, 3));
  EXPECT_THAT(download_times(3, 2, true), ElementsAre(3, 36));
  EXPECT_THAT(kernel_times(1, 3), ElementsAre(1, 1, 1));
}

TEST(Draw, IsTheSameEverywhere) {
  Draw draw(1);
  EXPECT_EQ(draw.whole(0, 999'999), 133'876);
  EXPECT_EQ(seed_of(0, 0), 0xe220a8397b1dcdafU) << "SplitMix64's first number";
}

TEST(Draw, ReachesEveryNumberAndNoOther) {
  Draw draw(3);
  std::vector<int> seen(5, 0);
  for (int n = 0; n < 1000; ++n) ++seen.at(static_cast<size_t>(draw.whole(2, 6) - 2));
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 100);
}

Time sum_in_mode_1(const Task& task) {
  Time sum = 0;
  for (const Stage& stage : task.stages) sum += stage.worst_in(1);
  return sum;
}

double share_of(const Task& task, Resource resource) {
  Time sum = 0;
  for (const Stage& stage : task.stages) sum += stage.resource == resource ? stage.worst_in(1) : 0;
  return static_cast<double>(sum) / static_cast<double>(sum_in_mode_1(task));
}

TEST(PaperSets, PassTheCheckAndKeepToTheDescription) {
  PaperSet wanted;
  wanted.gpu_utilisation = 1;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TaskSet set = paper_set(wanted, seed);
    ASSERT_TRUE(check(set).has_value());
    for (const Task& task : set.tasks) {
      EXPECT_GE(task.period, 100 * kMs);
      EXPECT_LE(task.period, 1000 * kMs);
      EXPECT_EQ(task.deadline, task.period);
      EXPECT_LE(sum_in_mode_1(task), task.period);
      EXPECT_GE(sum_in_mode_1(task), 5 * kMs - 21) << "rounded down stage by stage";
      ASSERT_EQ(task.stages.size() % 4, 1);
      EXPECT_LE(task.stages.size(), 21);
      for (size_t j = 0; j < task.stages.size(); ++j) {
        constexpr Resource kCycle[] = {Resource::cpu, Resource::link, Resource::gpu, Resource::link};
        EXPECT_EQ(task.stages[j].resource, kCycle[j % 4]);
      }
    }
  }
}

TEST(PaperSets, GrowUntilTheGpuUtilisationIsPassed) {
  PaperSet wanted;
  for (const double target : {0.0, 0.5, 1.5}) {
    wanted.gpu_utilisation = target;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      TaskSet set = paper_set(wanted, seed);
      EXPECT_GE(set.tasks.size(), 2);
      EXPECT_GT(utilisation(set, Modes(set.tasks.size(), 1), Resource::gpu), target);
      if (set.tasks.size() == 2) continue;
      set.tasks.pop_back();
      EXPECT_LE(utilisation(set, Modes(set.tasks.size(), 1), Resource::gpu), target);
    }
  }
}

TEST(PaperSets, SplitAtCutsUseTheWholeSumToo) {
  PaperSet wanted;
  wanted.split = Split::cuts;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const Task& task : paper_set(wanted, seed).tasks) {
      EXPECT_LE(sum_in_mode_1(task), task.period + 21) << "of each stage 1 ns at least";
      EXPECT_GE(sum_in_mode_1(task), 5 * kMs - 21);
    }
}

TEST(PaperSets, SevenTenthsAreGpuBound) {
  PaperSet wanted;
  wanted.classes = true;
  wanted.least_tasks = wanted.most_tasks = 100;
  int gpu = 0, pci = 0, cpu = 0;
  for (uint64_t seed = 0; seed < 30; ++seed)
    for (const Task& task : paper_set(wanted, seed).tasks) {
      gpu += share_of(task, Resource::gpu) >= 0.88 ? 1 : 0;
      pci += share_of(task, Resource::link) >= 0.88 ? 1 : 0;
      cpu += share_of(task, Resource::cpu) >= 0.88 ? 1 : 0;
    }
  EXPECT_EQ(gpu + pci + cpu, 3000);
  EXPECT_NEAR(gpu, 2100, 100);
  EXPECT_NEAR(pci, 600, 90);
}

TEST(PaperSets, TheSameSeedGivesTheSameSet) {
  PaperSet wanted;
  wanted.gpu_utilisation = 1;
  const auto text = [&](uint64_t seed) {
    const TaskSet set = paper_set(wanted, seed);
    return format_task_set({set, Modes(set.tasks.size(), 1)});
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

}  // namespace
}  // namespace samcl::analysis
