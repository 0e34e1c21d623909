#include "benchmarks/host/statistics.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Summarize, NothingIsAllZero) {
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({}).max, 0.0);
}

TEST(Summarize, OneValueIsEveryStatistic) {
  const Summary s = summarize({7});
  EXPECT_EQ(s.min, 7);
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.p95, 7);
  EXPECT_EQ(s.max, 7);
}

TEST(Summarize, MedianOfAnEvenCountIsTheMeanOfTheMiddle) { EXPECT_EQ(summarize({4, 1, 3, 2}).median, 2.5); }

TEST(Summarize, NinetyFifthPercentileIsByNearestRank) {
  std::vector<double> to100, to20;
  for (int i = 100; i >= 1; --i) to100.push_back(i);
  for (int i = 20; i >= 1; --i) to20.push_back(i);
  EXPECT_EQ(summarize(to100).p95, 95);
  EXPECT_EQ(summarize(to20).p95, 19);
}

}  // namespace
}  // namespace bench
