#include "libsamcl/cost/balance.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/test_seed.h"

namespace samcl {
namespace {

using Work = std::vector<uint64_t>;
using Lengths = std::vector<double>;

TEST(Imbalance, IsWhatTheLongestPartTakesOfAnEvenOne) {
  EXPECT_EQ(imbalance(Work{5, 5}), 1);
  EXPECT_EQ(imbalance(Work{0, 10}), 2);
  EXPECT_EQ(imbalance(Work{1, 2, 3}), 1.5);
  EXPECT_EQ(imbalance(Work{0, 0}), 1);
}

TEST(Balanced, CutsWhereTheWorkLies) {
  EXPECT_EQ(balanced(Lengths{5, 5}, Work{10, 10}), (Lengths{5, 5}));
  EXPECT_EQ(balanced(Lengths{5, 5}, Work{0, 10}), (Lengths{7.5, 2.5}));
  EXPECT_EQ(balanced(Lengths{5, 5}, Work{10, 0}), (Lengths{2.5, 7.5}));
  EXPECT_EQ(balanced(Lengths{9, 1}, Work{9, 1}), (Lengths{5, 5})) << "back from a cut that served another launch";
  EXPECT_EQ(balanced(Lengths{3, 3, 3}, Work{0, 0, 12}), (Lengths{7, 1, 1}));
}

// Rows of a shrinking matrix: what the decomposition of a matrix launches. The last cut is the first guess.
TEST(Balanced, FindsTheRestOfAMatrixInFewSteps) {
  constexpr double kRows = 1024;
  Lengths lengths{512, 512};
  for (double first = 0; first < kRows - 8; first += 37) {
    double longest = 2;
    for (int step = 0; step < 3; ++step) {
      const auto rows = [&](double begin, double end) {
        return static_cast<uint64_t>(std::max(0.0, end - std::max(begin, first)) * 1000);
      };
      const Work work{rows(0, lengths[0]), rows(lengths[0], kRows)};
      longest = imbalance(work);
      lengths = balanced(lengths, work);
    }
    EXPECT_LT(longest, 1.1) << "from row " << first;
  }
}

TEST(Balanced, KeepsTheSumAtRandom) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const size_t parts = 1 + random() % 8;
    Lengths lengths;
    Work work;
    for (size_t p = 0; p < parts; ++p) {
      lengths.push_back(1 + static_cast<double>(random() % 1000));
      work.push_back(random() % 4 == 0 ? 0 : random() % 1000);
    }
    const Lengths found = balanced(lengths, work);
    ASSERT_EQ(found.size(), parts);
    for (const double length : found) EXPECT_GE(length, -1e-9);
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), std::accumulate(lengths.begin(), lengths.end(), 0.0),
                1e-6);
  }
}

TEST(Balance, IsEvenUntilSomethingWasFoundForAsManyParts) {
  Balance balance;
  EXPECT_EQ(balance.shares(2, 1), (Lengths{1, 1}));
  balance.found(1, {3, 1});
  EXPECT_EQ(balance.shares(2, 1), (Lengths{3, 1}));
  EXPECT_EQ(balance.shares(3, 1), (Lengths{1, 1, 1}));
  EXPECT_EQ(balance.shares(2, 0), (Lengths{1, 1}));
}

}  // namespace
}  // namespace samcl
