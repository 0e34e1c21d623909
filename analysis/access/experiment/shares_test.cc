#include "analysis/access/experiment/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/json/task_set_json.h"

namespace samcl::analysis::access {
namespace {

double load(const analysis::TaskSet& set, int cpu) {
  double sum = 0;
  for (const analysis::Task& task : set.tasks)
    for (const Stage& stage : task.stages)
      if (task.cpu == cpu) sum += static_cast<double>(stage.worst_in(1)) / static_cast<double>(task.period);
  return sum;
}

TEST(AccessSets, KeepToTheDescription) {
  RandomSets wanted;
  int users = 0, tasks = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const analysis::TaskSet set = draw_set(wanted, seed);
    ASSERT_TRUE(check(set, Model::partitioned)) << check(set, Model::partitioned).error().message;
    EXPECT_GE(set.tasks.size(), 12);
    EXPECT_LE(set.tasks.size(), 24);
    double sum = 0;
    for (int cpu = 0; cpu < 4; ++cpu) sum += load(set, cpu);
    EXPECT_NEAR(sum, 4 * wanted.utilisation, 0.03) << "none below a thousandth";
    for (const analysis::Task& task : set.tasks) {
      ++tasks;
      users += task.uses(Resource::gpu) ? 1 : 0;
      EXPECT_GE(task.period, 30'000'000);
      EXPECT_LE(task.period, 500'000'000);
      EXPECT_LE(std::count_if(task.stages.begin(), task.stages.end(),
                              [](const Stage& stage) { return stage.resource == Resource::gpu; }),
                3);
    }
  }
  EXPECT_NEAR(static_cast<double>(users) / tasks, 0.5, 0.05);
}

TEST(AccessSets, AreTheSameForTheSameSeed) {
  const auto text = [](uint64_t seed) {
    const analysis::TaskSet set = draw_set({}, seed);
    return format_task_set({set, Modes(set.tasks.size(), 1)});
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

TEST(Shares, OfLittleLoadEverythingIsSchedulableAndOfFullLoadNothing) {
  RandomSets wanted;
  wanted.utilisation = 0.02;
  wanted.most_ratio = 0.3;
  const std::vector<std::string> names = way_names();
  const auto of = [&](const std::string& name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::vector<bool> little = verdicts(draw_set(wanted, 1));
  for (const char* name : {"mpcp", "fmlp+", "server", "partitions", "smlp", "slices"})
    EXPECT_TRUE(little[of(name)]) << name;
  wanted.utilisation = 1.5;
  EXPECT_THAT(verdicts(draw_set(wanted, 1)), testing::Each(false));
}

TEST(Shares, CountEachSetOnceHoweverItIsDivided) {
  const Shares few(12, 1);
  std::vector<Counts> sums(few.points(), Counts(few.width(), 0));
  for (int64_t block = 0; block < few.blocks(); ++block) add(sums[few.point_of(block)], few.count(block));
  for (const Counts& counts : sums) EXPECT_EQ(counts[0], 12);
}

}  // namespace
}  // namespace samcl::analysis::access
