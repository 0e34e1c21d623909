#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/experiment/results.h"

namespace samcl::analysis {
namespace {

FigureExperiment small(const std::string& name) {
  FigureExperiment experiment(*find_figure(name), 50, 7);
  experiment.figure.points.resize(3);
  return experiment;
}

Tallies run(const FigureExperiment& experiment, int threads, std::vector<bool> known = {}) {
  known.resize(static_cast<size_t>(experiment.blocks()), false);
  std::vector<Counts> sums(experiment.points(), Counts(experiment.width(), 0));
  const auto done = [&](int64_t block, const Counts& counts) {
    add(sums[experiment.point_of(block)], counts);
  };
  for (int64_t block = 0; block < experiment.blocks(); ++block)
    if (known[static_cast<size_t>(block)]) done(block, experiment.count(block));
  const std::atomic<bool> stop = false;
  BlockQueue queue(known, done, stop);
  count_blocks(experiment, queue, threads);
  return tallies(sums);
}

TEST(Figures, AreTheFiveOfThePapers) {
  for (const char* name : kFigures) {
    const auto figure = find_figure(name);
    ASSERT_TRUE(figure.has_value()) << name;
    EXPECT_GE(figure->points.size(), 8);
    for (size_t point = 0; point < figure->points.size(); ++point)
      EXPECT_TRUE(check(task_set_at(*figure, point, 1, 0)).has_value());
  }
  EXPECT_FALSE(find_figure("fig12").has_value());
}

TEST(Experiments, CountTheSameOnAnyNumberOfThreadsAndAfterInterruptions) {
  for (const char* name : {"fig7", "fig9"}) {
    const FigureExperiment experiment = small(name);
    const std::string expected = format_csv(experiment.figure, run(experiment, 1));
    EXPECT_EQ(format_csv(experiment.figure, run(experiment, 3)), expected);
    EXPECT_EQ(format_csv(experiment.figure, run(experiment, 2, {true, false, false, true, true})), expected);
  }
}

TEST(Experiments, CountEverySetOnceAndNoPolicyBeatsOptimal) {
  for (const char* name : kFigures) {
    SCOPED_TRACE(name);
    for (const Tally& tally : run(small(name), 2)) {
      EXPECT_EQ(tally.sets, 50);
      for (const int64_t count : tally.schedulable) EXPECT_LE(count, tally.schedulable.back());
    }
  }
}

Tally counted(std::vector<int64_t> schedulable) {
  Tally tally(schedulable.size());
  tally.sets = 100;
  tally.tasks = 250;
  tally.schedulable = std::move(schedulable);
  return tally;
}

TEST(Results, NameTheGreatestLoss) {
  Figure figure = *find_figure("fig9");
  figure.points = {0.2, 0.4};
  const Tallies tallies = {counted({50, 60, 79, 80, 80}), counted({5, 10, 35, 39, 40})};
  const Loss loss = greatest_loss(figure, tallies, Policy::gpa);
  EXPECT_EQ(loss.point, 0.4);
  EXPECT_DOUBLE_EQ(loss.of_sets, 0.05);
  EXPECT_DOUBLE_EQ(loss.of_optimal, 0.125);
  EXPECT_EQ(format_csv(figure, tallies),
            "U_G,sets,mean_tasks,single,local,gpa,search,optimal\n"
            "0.2,100,2.500,50,60,79,80,80\n"
            "0.4,100,2.500,5,10,35,39,40\n");
  EXPECT_THAT(statements(figure, tallies)[0].found,
              testing::HasSubstr("5.00% of all sets (at U_G = 0.4; 12.5%"));
  EXPECT_THAT(curves_svg(figure, tallies),
              testing::AllOf(testing::StartsWith("<svg"), testing::HasSubstr("optimal")));
}

}  // namespace
}  // namespace samcl::analysis
