#include "analysis/access/gpu_priorities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/access/testing/random_plan.h"
#include "analysis/access/testing/small_sets.h"
#include "base/test_seed.h"

namespace samcl::analysis::access {
namespace {

using testing::ElementsAre;

std::vector<int> ranks(const TaskSet& set) {
  std::vector<int> all;
  for (const Task& task : set.tasks) all.push_back(task.gpu_rank);
  return all;
}

bool keeps_the_order_of_each_cpu(const TaskSet& set) {
  for (size_t h = 0; h < set.tasks.size(); ++h)
    for (size_t i = h + 1; i < set.tasks.size(); ++i) {
      const Task &above = set.tasks[h], &below = set.tasks[i];
      if (above.cpu == below.cpu && above.gpu_rank > below.gpu_rank) return false;
    }
  return true;
}

// Example 2 of Wang et al.: T4 before T3 on the GPU.
TEST(GpuPriorities, ThoseOfThePublishedExampleAreFound) {
  const auto found = with_gpu_priorities(gcaps_example(), Analysis::gcaps_published, {1});
  ASSERT_TRUE(found);
  EXPECT_THAT(ranks(*found), ElementsAre(0, 1, 3, 2));
}

TEST(GpuPriorities, OfASchedulableSetStayAsTheyAre) {
  TaskSet set = set_of(2, {task(50, 0, {1, 1}, {{1, 4}}), task(60, 1, {1, 1}, {{1, 4}})});
  std::swap(set.tasks[0].gpu_rank, set.tasks[1].gpu_rank);
  EXPECT_THAT(ranks(*with_gpu_priorities(set, Analysis::gcaps, {})), ElementsAre(1, 0));
}

// Example 5: T1 keeps T2 from the GPU, and so T3 from their CPU; not where T2 is ahead of it there.
TEST(GpuPriorities, ATaskThatKeepsItsCpuWhileItWaitsIsPutAheadForThoseBehindIt) {
  TaskSet set = set_of(2, {task(90, 0, {1, 1}, {{0, 30}}), task(95, 1, {1, 1}, {{0, 10}}), task(100, 1, {60})});
  for (Task& each : set.tasks) each.busy = true;
  EXPECT_EQ(analyse(set, Analysis::gcaps).response[2], kUnbounded);
  const auto found = with_gpu_priorities(set, Analysis::gcaps, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(ranks(*found), ElementsAre(1, 0, 2));
  EXPECT_EQ(analyse(*found, Analysis::gcaps).response[2], 72);
}

// Whether some order is schedulable: all are tried.
bool some_order_is_schedulable(TaskSet set, Analysis analysis, const Costs& costs) {
  std::vector<int> order = ranks(set);
  std::sort(order.begin(), order.end());
  do {
    for (size_t i = 0; i < order.size(); ++i) set.tasks[i].gpu_rank = order[i];
    if (keeps_the_order_of_each_cpu(set) && analyse(set, analysis, costs).schedulable) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(GpuPriorities, AreFoundWhereAnyAreSchedulableAsPublished) {
  const TestSeed seed;
  int searched = 0, found = 0;
  for (int n = 0; n < 20'000; ++n) {
    Draw draw(seed_of(seed, static_cast<uint64_t>(n)));
    TaskSet set = random_set({2 + n % 2, 1, 5, false, false}, draw);
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      set.tasks[i].busy = n % 3 == 0;
      set.tasks[i].gpu_rank = static_cast<int>(i);
    }
    const Costs costs = {n % 5 == 0 ? 1 : 0};
    if (analyse(set, Analysis::gcaps_published, costs).schedulable) continue;
    const auto better = with_gpu_priorities(set, Analysis::gcaps_published, costs);
    ++searched;
    found += better ? 1 : 0;
    ASSERT_EQ(better.has_value(), some_order_is_schedulable(set, Analysis::gcaps_published, costs)) << "set " << n;
    ASSERT_TRUE(!better || keeps_the_order_of_each_cpu(*better)) << "set " << n;
  }
  EXPECT_GT(searched, 1000);
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace samcl::analysis::access
