#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/experiment/results.h"
#include "analysis/experiment/running_time.h"

namespace samcl::analysis {
namespace {

FigureExperiment small(const std::string& name) {
  Figure figure = *find_figure(name);
  if (figure.axis == Axis::dependency) figure.dependencies.resize(2);
  return FigureExperiment(figure, 40, 7);
}

Results run(const FigureExperiment& experiment, int threads, std::vector<bool> known = {}) {
  known.resize(static_cast<size_t>(experiment.blocks()), false);
  std::vector<Counts> sums(experiment.points(), Counts(experiment.width(), 0));
  const auto done = [&](int64_t block, const Counts& counts) { add(sums[experiment.point_of(block)], counts); };
  for (int64_t block = 0; block < experiment.blocks(); ++block)
    if (known[static_cast<size_t>(block)]) done(block, experiment.count(block));
  const std::atomic<bool> stop = false;
  BlockQueue queue(known, done, stop);
  count_blocks(experiment, queue, threads);
  return Results(experiment.figure, sums);
}

TEST(Figures, HaveThePapersParameters) {
  const Figure fig7 = *find_figure("fig7"), fig8 = *find_figure("fig8"), fig9 = *find_figure("fig9"),
               fig10 = *find_figure("fig10");
  EXPECT_DOUBLE_EQ(fig7.targets.back(), 4);
  EXPECT_DOUBLE_EQ(fig9.targets.back(), 4);
  EXPECT_THAT(fig8.targets, testing::ElementsAre(1.2));
  EXPECT_THAT(fig10.targets, testing::ElementsAre(1.4));
  EXPECT_EQ(fig10.dependencies.size(), 11);
  EXPECT_EQ(fig7.form, Form::gpu_sparc);
  EXPECT_EQ(fig9.form, Form::gpu_sam);
  EXPECT_FALSE(fig7.sets.classes);
  EXPECT_TRUE(fig9.sets.classes);
  EXPECT_FALSE(find_figure("fig12").has_value());
}

TEST(Experiments, CountTheSameOnAnyNumberOfThreadsAndAfterInterruptions) {
  for (const char* name : {"fig7", "fig9"}) {
    const FigureExperiment experiment = small(name);
    const std::string expected = format_csv(run(experiment, 1));
    EXPECT_EQ(format_csv(run(experiment, 3)), expected);
    EXPECT_EQ(format_csv(run(experiment, 2, {true, false})), expected);
  }
}

// Every set of a chain counts once for each target that it is on the way to, and no policy is above OPTIMAL.
TEST(Experiments, CountEverySetOfEveryChain) {
  for (const char* name : kFigures) {
    SCOPED_TRACE(name);
    const FigureExperiment experiment = small(name);
    const Figure& figure = experiment.figure;
    const Results results = run(experiment, 2);
    for (size_t point = 0; point < experiment.points(); ++point) {
      int64_t sets = 0, first = 0;
      for (uint64_t n = 0; sets < experiment.sets; ++n) {
        const TaskSet chain = chain_at(figure, point, experiment.seed, n);
        sets += static_cast<int64_t>(chain.tasks.size()) - 1;
        first += 1;
        double load = gpu_utilisation(chain.tasks[0]) + gpu_utilisation(chain.tasks[1]);
        for (size_t more = 2; more < chain.tasks.size() && load <= figure.targets.front(); ++more) {
          first += 1;
          load += gpu_utilisation(chain.tasks[more]);
        }
      }
      const bool varies = figure.axis == Axis::dependency;
      EXPECT_EQ(results.at(Reading::chain, varies ? point : figure.targets.size() - 1).sets, sets);
      if (!varies) {
        EXPECT_EQ(results.at(Reading::chain, 0).sets, first);
      }
    }
    for (const Reading reading : kReadings)
      for (size_t n = 0; n < figure.points().size(); ++n)
        for (const int64_t count : results.at(reading, n).schedulable)
          EXPECT_LE(count, results.at(reading, n).schedulable.back());
  }
}

// Why the rest of a chain is not analysed.
TEST(Experiments, NoSetIsSchedulableIfOneBeforeItInTheChainIsNot) {
  int none = 0;
  for (const char* name : {"fig7", "fig9"}) {
    const Figure figure = *find_figure(name);
    for (uint64_t n = 0; n < 6; ++n) {
      const TaskSet chain = chain_at(figure, 0, 3, n);
      TaskSet set = chain;
      bool possible = true;
      for (size_t tasks = 2; tasks <= chain.tasks.size(); ++tasks) {
        set.tasks.assign(chain.tasks.begin(), chain.tasks.begin() + static_cast<std::ptrdiff_t>(tasks));
        const bool now = choose_modes(set, figure.form, ModePolicy::optimal).schedulable;
        EXPECT_TRUE(possible || !now) << name << ", chain " << n << ", " << tasks << " tasks";
        possible = now;
      }
      none += possible ? 0 : 1;
    }
  }
  EXPECT_GT(none, 0);
}

// With implicit deadlines the least urgent task's bound is at least T (M + m - 1) / m * u / (u + M - U), in
// mode m and with its GPU utilisation u, less what rounding takes off: above T at U = M, whatever the split
// of its time.
TEST(GpuSam, NoSetOfFullGpuUtilisationIsSchedulable) {
  for (int cpus_share = 0; cpus_share < 5; ++cpus_share)
    for (int stages = 1; stages <= 3; ++stages) {
      TaskSet set;
      set.platform = {4, 1, 4};
      for (int n = 0; n < 8; ++n) {
        Task task{"P" + std::to_string(n), 1'000'000 + n, 1'000'000 + n, {}, {}};
        for (int stage = 0; stage < stages; ++stage) {
          task.stages.push_back({Resource::cpu, {1 + cpus_share * 1000}, {}});
          const Time gpu = 500'000 / stages + n;
          task.stages.push_back({Resource::gpu, {gpu, (gpu + 1) / 2, (gpu + 2) / 3, (gpu + 3) / 4}, {}});
        }
        set.tasks.push_back(task);
      }
      EXPECT_FALSE(choose_modes(set, Form::gpu_sam, ModePolicy::optimal).schedulable);
    }
}

// The last two targets, 3.8 and 4, of a figure with a set of 3.7 behind one of 3.6, which is schedulable by
// all but SINGLE, and one of 3.9.
TEST(Results, ReadUtilisationsInTwoWays) {
  const Figure figure = *find_figure("fig9");
  Tallies tallies(figure);
  Tally set(5);
  set.sets = 1;
  set.tasks = 9;
  set.schedulable = {0, 1, 1, 1, 1};
  tallies.add(figure, 3.6, 3.7, set);
  set.schedulable = {0, 0, 0, 1, 1};
  tallies.add(figure, 3.9, 3.95, set);
  const Results results(figure, {tallies.counts()});
  EXPECT_EQ(results.at(Reading::chain, 16).sets, 0);  // up to 3.4
  EXPECT_EQ(results.at(Reading::chain, 18).sets, 1);  // up to 3.8
  EXPECT_EQ(results.at(Reading::chain, 19).sets, 2);
  EXPECT_EQ(results.at(Reading::set_class, 18).sets, 1);
  EXPECT_EQ(results.at(Reading::set_class, 19).sets, 1);
  const Loss loss = greatest_loss(results, Reading::chain, ModePolicy::gpa);
  EXPECT_DOUBLE_EQ(loss.point, 4);
  EXPECT_DOUBLE_EQ(loss.of_sets, 0.5);
  EXPECT_DOUBLE_EQ(loss.of_optimal, 0.5);
  EXPECT_DOUBLE_EQ(greatest_loss(results, Reading::set_class, ModePolicy::gpa).of_optimal, 1);
  EXPECT_THAT(format_csv(results), testing::AllOf(testing::HasSubstr("\nchain,4,2,9.000,0,1,1,2,2\n"),
                                                  testing::EndsWith("class,4,1,9.000,0,0,0,1,1\n")));
  EXPECT_THAT(statements(results)[0].found, testing::HasSubstr("by chain 50.0% at U_G 4 (50.00% of all sets)"));
}

TEST(Charts, AreWrittenCurveByCurve) {
  const Chart chart{"two", "x", {0, 1}, {{"a", {{0, 1}, {1, 0.5}}}, {"b", {}}}};
  const auto json = nlohmann::json::parse(format_charts({chart}, 2));
  EXPECT_EQ(json.at("columns"), 2);
  EXPECT_EQ(json.at("charts").at(0).at("curves").dump(),
            R"([{"name":"a","points":[[0.0,1.0],[1.0,0.5]]},{"name":"b","points":[]}])");
}

TEST(RunningTimes, AreOfSetsOfTwoToThirtyTasks) {
  PaperSet wanted;
  wanted.classes = true;
  for (int64_t n = 0; n < 58; ++n) {
    const TaskSet set = timed_set(wanted, 1, n);
    EXPECT_EQ(set.tasks.size(), 2 + n % 29);
    ASSERT_TRUE(check(set));
    double load = 0;
    for (const Task& task : set.tasks) load += gpu_utilisation(task);
    EXPECT_LE(load, 4);
  }
  const auto times = running_times(wanted, Form::gpu_sam, 20, 1);
  ASSERT_EQ(times.size(), 20);
  EXPECT_EQ(times[0].tasks, 2);
  EXPECT_EQ(times[0].sets, 1);
  EXPECT_GT(times[19].longest, 0);
  EXPECT_THAT(format_csv(times), testing::StartsWith("tasks,sets,schedulable,mean_ms,longest_ms\n2,1,"));
}

}  // namespace
}  // namespace samcl::analysis
