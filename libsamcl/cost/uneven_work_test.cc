#include "libsamcl/cost/uneven_work.h"

#include <gmock/gmock.h>

#include <functional>
#include <numeric>

namespace samcl {
namespace {

using ::testing::IsEmpty;

constexpr uint64_t kNs = 10'000'000;  // that a whole launch takes

struct UnevenWorkTest : ::testing::Test {
  UnevenWork uneven;
  std::function<double(double)> density = [](double) { return 1.0; };

  double work(double begin, double end) const {
    constexpr int kSteps = 1000;
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += density(begin + (end - begin) * (i + 0.5) / kSteps);
    return sum * (end - begin) / kSteps;
  }
  // Runs one, cut as is told: how many times as long as the mean of its parts the longest takes.
  double launch(size_t parts, unsigned dimension = 0, uint64_t ns = kNs, uint64_t moving_ns = 0) {
    std::vector<double> shares = uneven.shares(parts, dimension);
    if (shares.empty()) shares.assign(parts, 1.0 / static_cast<double>(parts));
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<Covered> covered;
    std::vector<uint64_t> took;
    double begin = 0, longest = 0, sum = 0;
    for (const double share : shares) {
      const double end = begin + share / all, takes = work(begin, end) / work(0, 1);
      covered.push_back({dimension, begin, end});
      took.push_back(static_cast<uint64_t>(takes * static_cast<double>(ns)));
      longest = std::max(longest, takes);
      sum += takes;
      begin = end;
    }
    uneven.took(covered, took, moving_ns);
    return longest * static_cast<double>(parts) / sum;
  }
};

TEST_F(UnevenWorkTest, EvenLaunchesAreCutEvenly) {
  density = [](double place) { return place < 0.5 ? 1.0 : 1.3; };
  for (int i = 0; i < 20; ++i) launch(2);
  EXPECT_THAT(uneven.shares(2, 0), IsEmpty()) << "less is not worth that bytes move";
}

TEST_F(UnevenWorkTest, LaunchesAreCutWhereTheWorkLies) {
  density = [](double place) { return place; };
  EXPECT_GT(launch(2), 1.4);
  for (int i = 0; i < 12; ++i) launch(2);
  EXPECT_LT(launch(2), UnevenWork::kStillUneven);
  EXPECT_THAT(uneven.shares(4, 0), IsEmpty()) << "of four nothing is known";
  EXPECT_THAT(uneven.shares(2, 1), IsEmpty());
}

TEST_F(UnevenWorkTest, SoAreThoseInManyParts) {
  density = [](double place) { return place > 0.6 && place < 0.7 ? 30.0 : 1.0; };
  EXPECT_GT(launch(8, 2), 4);
  for (int i = 0; i < 1000; ++i) launch(8, 2);
  EXPECT_LT(launch(8, 2), 1.2);
}

TEST_F(UnevenWorkTest, ShortOnesAreLeftAsTheyAre) {
  density = [](double place) { return place; };
  for (int i = 0; i < 100; ++i) launch(2, 0, 100'000);
  EXPECT_THAT(uneven.shares(2, 0), IsEmpty());
}

// Where others are cut evenly, a fifth of it moves before each launch and after it.
TEST_F(UnevenWorkTest, NothingChangesWhereMovingBytesTakesLonger) {
  density = [](double place) { return place; };
  for (int i = 0; i < 100; ++i) launch(2, 0, kNs, kNs);
  EXPECT_THAT(uneven.shares(2, 0), IsEmpty());
  for (int i = 0; i < 1000; ++i) launch(2, 0, kNs, kNs / 3);
  EXPECT_THAT(uneven.shares(2, 0), ::testing::Not(IsEmpty()));
}

TEST_F(UnevenWorkTest, OneThatIsUnevenChangesNothing) {
  for (int i = 0; i < 50; ++i) {
    density = [i](double place) { return i % 2 == 1 ? place : 1; };
    launch(2);
  }
  EXPECT_THAT(uneven.shares(2, 0), IsEmpty());
}

// The work is elsewhere each time: the cuts change ever more seldom.
TEST_F(UnevenWorkTest, WorkThatWandersIsFollowedEverMoreSeldom) {
  int changes = 0;
  std::vector<double> before;
  for (int i = 0; i < 1000; ++i) {
    density = [i](double place) { return i / 3 % 2 == 0 ? place : 1 - place; };
    launch(2);
    if (std::vector<double> now = uneven.shares(2, 0); now != before) {
      ++changes;
      before = std::move(now);
    }
  }
  EXPECT_GE(changes, 1);
  EXPECT_LE(changes, 8);
}

}  // namespace
}  // namespace samcl
