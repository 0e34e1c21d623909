#include "benchmarks/harness/comparison.h"

#include <gmock/gmock.h>

namespace samcl::bench {
namespace {

using ::testing::ElementsAre;

Execution run_of(unsigned devices, unsigned round, double total_ms, const std::string& checksum = "0x1") {
  Execution run;
  run.program = "VectorAdd";
  run.size = "1000";
  run.devices = devices;
  run.round = round;
  run.outcome = Outcome::pass;
  run.total_ms = total_ms;
  run.checksum = checksum;
  return run;
}

TEST(Spread, QuartilesLieBetweenOrderStatistics) {
  const Spread spread = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(spread.low, 1.75);
  EXPECT_DOUBLE_EQ(spread.median, 2.5);
  EXPECT_DOUBLE_EQ(spread.high, 3.25);
  EXPECT_EQ(spread.count, 4u);
}

TEST(Spread, OfOneValueIsThatValue) {
  const Spread spread = spread_of({7});
  EXPECT_EQ(spread.low, 7);
  EXPECT_EQ(spread.high, 7);
}

TEST(Summarize, SpeedUpPairsTheRunsOfARound) {
  // Round 1 was slow for both; 100 / 50 = 2, 300 / 100 = 3.
  const auto rows = summarize({run_of(kBare, 0, 100), run_of(2, 0, 50), run_of(2, 1, 100), run_of(kBare, 1, 300)});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].speedup);
  ASSERT_TRUE(rows[1].speedup);
  EXPECT_DOUBLE_EQ(rows[1].speedup->median, 2.5);
  EXPECT_DOUBLE_EQ(rows[1].speedup->low, 2.25);
  EXPECT_EQ(rows[1].same_result, true);
  EXPECT_TRUE(all_good(rows));
}

TEST(Summarize, AnotherResultThanBareIsNotGood) {
  const auto rows = summarize({run_of(kBare, 0, 1), run_of(2, 0, 1), run_of(2, 1, 1, "0x2")});
  EXPECT_EQ(rows[1].same_result, false);
  EXPECT_FALSE(all_good(rows));
}

TEST(Summarize, WithoutBareNothingIsCompared) {
  const auto rows = summarize({run_of(1, 0, 1), run_of(2, 0, 1)});
  EXPECT_FALSE(rows[1].speedup);
  EXPECT_FALSE(rows[1].same_result);
  EXPECT_TRUE(all_good(rows));
}

TEST(Summarize, ARowShowsTheFirstRunThatDidNotPassAndTheTimesOfThoseThatDid) {
  Execution failed = run_of(2, 1, 1000);
  failed.outcome = Outcome::fail;
  failed.detail = "element 7 is 3, expected 4";
  const auto rows = summarize({run_of(2, 0, 50), failed});
  EXPECT_EQ(rows[0].outcome, Outcome::fail);
  EXPECT_EQ(rows[0].note, "element 7 is 3, expected 4");
  EXPECT_EQ(rows[0].total_ms.count, 1u);
  EXPECT_EQ(rows[0].total_ms.median, 50);
  EXPECT_FALSE(all_good(rows));
}

TEST(Summarize, SizesOfAFigureAreRowsOfTheirOwn) {
  Execution large = run_of(1, 0, 9);
  large.parameter = 2048;
  EXPECT_EQ(summarize({run_of(1, 0, 1), large}).size(), 2u);
}

TEST(OrderInRound, EverySecondRoundGoesBackwards) {
  EXPECT_THAT(order_in_round({kBare, 1, 2}, 0), ElementsAre(kBare, 1, 2));
  EXPECT_THAT(order_in_round({kBare, 1, 2}, 1), ElementsAre(2, 1, kBare));
}

}  // namespace
}  // namespace samcl::bench
