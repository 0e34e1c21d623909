#include "analysis/locking/experiment/elliott.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analysis/locking/experiment/elliott_results.h"

namespace samcl::analysis::locking {
namespace {

TEST(Scenarios, Are810DifferentOnes) {
  std::set<std::array<size_t, 5>> seen;
  for (size_t n = 0; n < kScenarios; ++n) {
    const Scenario s = scenario(n);
    EXPECT_LT(s.utilisation, 3);
    EXPECT_LT(s.share, 10);
    seen.insert({s.utilisation, s.period, s.gpu_use, s.share, s.cpus});
  }
  EXPECT_EQ(kScenarios, 810);
  EXPECT_EQ(seen.size(), 810);
}

// Four CPUs, tasks of 100 and 200 ns.
QuickSet half_loaded() {
  QuickSet set;
  set.add({100, 80, 0, 0});
  set.add({200, 140, 40, 100});
  return set;  // 1.5, with a critical section of 0.5
}

TEST(Histogram, CountsBySpeedUp) {
  Histogram histogram;
  histogram.add(half_loaded(), 4, {false, true, false});
  EXPECT_EQ(histogram.at(0, 7, Counted::sets), 1);  // 1.5 / 4 = 0.375, in (0.35, 0.4]
  EXPECT_EQ(histogram.at(0, 7, Counted::fmlp_long), 0);
  EXPECT_EQ(histogram.at(0, 7, Counted::shared_resource), 1);
  EXPECT_EQ(histogram.at(0, 7, Counted::containers), 0);
  EXPECT_EQ(histogram.at(0, 7, Counted::either), 1);
  EXPECT_EQ(histogram.at(1, 4, Counted::sets), 1);   // x2: 2 / 4, in (0.4, 0.5]
  EXPECT_EQ(histogram.at(4, 22, Counted::sets), 1);  // x16: 9 / 4, in (2.2, 2.3]
  EXPECT_EQ(histogram.total(Counted::sets), 1);
}

// A block of 2^18 sets would take too long here: the pieces are what differs.
TEST(Elliott, CountsDependOnTheSeedAloneAndEverySetIsCountedOnce) {
  ElliottExperiment experiment;
  experiment.sets = 40;
  for (const int64_t block : {0, 399, 809}) {
    const Counts counts = experiment.count(block);
    EXPECT_EQ(counts, experiment.count(block));
    EXPECT_EQ(Histogram(counts).total(Counted::sets), 40);
    ElliottExperiment other = experiment;
    other.seed = 2;
    EXPECT_NE(other.count(block), counts);
    EXPECT_NE(other.heading(), experiment.heading());
  }
  EXPECT_EQ(experiment.blocks(), 810);
  experiment.sets = kElliottBlockSets + 5;
  EXPECT_EQ(experiment.blocks(), 1620);
  EXPECT_EQ(Histogram(experiment.count(810 + 7)).total(Counted::sets), 5) << "the rest of scenario 7";
}

TEST(Elliott, ResultsShowEveryScenarioAndSettleEveryStatement) {
  Histograms all;
  ElliottExperiment experiment;
  experiment.sets = 20;
  int64_t sets = 0;
  for (int64_t block = 0; block < experiment.blocks(); ++block) {
    all.emplace_back(experiment.count(block));
    sets += all.back().total(Counted::sets);
    const Histogram& histogram = all.back();
    EXPECT_EQ(histogram.total(Counted::both) + histogram.total(Counted::either),
              histogram.total(Counted::shared_resource) + histogram.total(Counted::containers));
    EXPECT_LE(histogram.total(Counted::fmlp_long), histogram.total(Counted::shared_resource));
  }
  EXPECT_EQ(sets, 810 * 20);
  const std::string csv = format_csv(all);
  EXPECT_THAT(csv, testing::HasSubstr("\nlight,short,little,0-10,4,1,"));
  EXPECT_THAT(csv, testing::HasSubstr("\nheavy,long,most,90-100,12,16,"));
  EXPECT_EQ(charts(all).size(), 8);
  EXPECT_EQ(findings(all).size(), 10);
}

}  // namespace
}  // namespace samcl::analysis::locking
