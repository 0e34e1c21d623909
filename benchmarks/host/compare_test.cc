#include "benchmarks/host/compare.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace bench {
namespace {

TEST(Compare, NamesTheFirstDifference) {
  EXPECT_EQ(compare(std::array{1, 2, 3}, std::array{1, 2, 3}), "");
  EXPECT_EQ(compare(std::array{1, 5, 7}, std::array{1, 2, 3}), "element 1 is 5, expected 2");
}

TEST(Compare, TheBoundItselfIsWithin) {
  EXPECT_EQ(compare_within(0, 1.5, 1, 0.5), "");
  EXPECT_EQ(compare_within(3, 1.75, 1, 0.5), "element 3 is 1.75, expected 1 within 0.5");
}

TEST(Compare, NotANumberIsNeverWithin) {
  EXPECT_NE(compare_within(0, std::numeric_limits<double>::quiet_NaN(), 1, 1e300), "");
}

TEST(ToVerify, IsEveryElementOnceUnlessThereAreMany) {
  EXPECT_EQ(to_verify(3, 3, 1), (std::vector<size_t>{0, 1, 2}));
  const std::vector<size_t> sample = to_verify(1000, 10, 1);
  EXPECT_EQ(sample.size(), 10u);
  for (size_t index : sample) EXPECT_LT(index, 1000u);
}

}  // namespace
}  // namespace bench
