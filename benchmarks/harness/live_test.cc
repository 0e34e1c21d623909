#include "benchmarks/harness/live.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace samcl::bench {
namespace {

using ::testing::HasSubstr;

LiveSession session() {
  LiveSession session;
  session.experiment = "gpu-sam";
  LiveRow matrix;
  matrix.policy = "single";
  matrix.task = "MatrixMultiplication";
  matrix.gpus = 1;
  matrix.period_ms = 100;
  matrix.bound_ms = 90;
  matrix.guaranteed = true;
  matrix.responses_ms = {80, 95, 120, 70};
  LiveRow filter;
  filter.policy = "single";
  filter.task = "Filter";
  filter.period_ms = 20;
  filter.failure = "it did not pass";
  session.rows = {matrix, filter};
  return session;
}

TEST(Live, PapersUtilisationsAreKept) {
  const auto sam = find_live("gpu-sam");
  ASSERT_TRUE(sam);
  EXPECT_DOUBLE_EQ(sam->tasks.at(0).utilisation(), 0.85);
  EXPECT_DOUBLE_EQ(sam->tasks.at(1).utilisation(), 0.625);
  EXPECT_DOUBLE_EQ(sam->tasks.at(2).utilisation(), 0.16);
  const auto sparc = find_live("gpu-sparc");
  ASSERT_TRUE(sparc);
  EXPECT_DOUBLE_EQ(sparc->tasks.at(0).utilisation(), 0.575);
  EXPECT_DOUBLE_EQ(sparc->tasks.at(1).utilisation(), 0.53);
  EXPECT_FALSE(find_live("gpu"));
}

TEST(Live, SizesFollowTheProgramsGrowth) {
  const LiveTask cubic{"M", 1, 1, 1, {}, 512, 3, 16384};
  EXPECT_EQ(better_size(cubic, 512, 10, 80), 1024);
  const LiveTask linear{"K", 1, 1, 1, {}, 4096, 1, 10000};
  EXPECT_EQ(better_size(linear, 4096, 10, 5), 2048);
  EXPECT_EQ(better_size(linear, 4096, 1e6, 1e-6), 2) << "no program of nothing";
  EXPECT_EQ(better_size(linear, 4096, 1, 100), 10000) << "no larger than it takes";
}

TEST(Live, MissesAndExcessesAreCounted) {
  const LiveRow row = session().rows[0];
  EXPECT_EQ(row.misses(), 1u);
  EXPECT_EQ(row.beyond_bound(), 2u);
  EXPECT_EQ(row.longest_ms(), 120);
  EXPECT_EQ(row.median_ms(), 87.5);
}

TEST(Live, VerdictIsGuaranteedOnlyWhereTheManagerSaysSo) {
  LiveRow row = session().rows[0];
  EXPECT_EQ(row.verdict(), "guaranteed");
  row.guaranteed = false;
  EXPECT_EQ(row.verdict(), "estimated");
  row.bound_ms = 101;
  EXPECT_EQ(row.verdict(), "late");
  row.bound_ms.reset();
  EXPECT_EQ(row.verdict(), "no bound");
}

TEST(Live, PercentilesAreOfTheNearestRank) {
  LiveRow row;
  EXPECT_EQ(row.percentile_ms(0.99), 0);
  for (int i = 200; i >= 1; --i) row.responses_ms.push_back(i);
  EXPECT_EQ(row.percentile_ms(0.5), 100);
  EXPECT_EQ(row.percentile_ms(0.99), 198);
  EXPECT_EQ(row.percentile_ms(1), 200);
}

TEST(Live, TextSumsUpJobsUnderABoundAndTellsWhyTheyAreNotGuaranteed) {
  LiveSession two = session();
  two.rows[1] = two.rows[0];
  two.rows[1].guaranteed = false;
  two.rows[1].beside = 7;
  two.rows[1].why_not = "nobody measured";
  const std::string text = live_text(two);
  EXPECT_THAT(text, HasSubstr("jobs under a bound: 8, beyond it: 4; of guaranteed tasks: 4, beyond it: 2"));
  EXPECT_THAT(text, HasSubstr("MatrixMultiplication is estimated: nobody measured"));
}

TEST(Live, TableAndJsonTellWhatFailed) {
  EXPECT_THAT(live_text(session()), HasSubstr("failed: it did not pass"));
  const auto json = nlohmann::json::parse(live_json(session()));
  EXPECT_EQ(json.at("rows").at(0).at("misses"), 1);
  EXPECT_EQ(json.at("rows").at(0).at("jobs"), 4);
  EXPECT_EQ(json.at("rows").at(0).at("longest_ms"), 120);
  EXPECT_EQ(json.at("rows").at(1).at("failure"), "it did not pass");
}

TEST(Live, PictureShowsEveryJobAndTheBound) {
  const std::string svg = live_svg(session());
  EXPECT_THAT(svg, HasSubstr("MatrixMultiplication, job 2: 120 ms of 100"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
}

}  // namespace
}  // namespace samcl::bench
