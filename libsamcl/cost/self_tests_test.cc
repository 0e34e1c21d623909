#include "libsamcl/cost/self_tests.h"

#include <gmock/gmock.h>

#include <array>
#include <set>

namespace samcl {
namespace {

using Next = SelfTests::Next;
using Outcome = SelfTests::Outcome;
using ::testing::ElementsAre;

constexpr std::array<unsigned, 1> kOther{1};
constexpr std::array<unsigned, 2> kOthers{1, 3};

TEST(SelfTests, FirstSecondFourthAndEighthLaunchIsTested) {
  SelfTests tests;
  std::vector<unsigned> tested;
  for (unsigned launch = 1; launch <= 20; ++launch) {
    if (tests.next(1000, kOther) == Next::test) tested.push_back(launch);
    tests.tested(1, 1000, Outcome::same);
  }
  EXPECT_THAT(tested, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_EQ(tests.joined(), 15u);
}

TEST(SelfTests, NothingIsJoinedBeforeATestHasEnded) {
  SelfTests tests;
  tests.next(1000, kOther);
  tests.next(1000, kOther);
  EXPECT_EQ(tests.next(1000, kOther), Next::wait);
  tests.tested(1, 1000, Outcome::same);
  tests.next(1000, kOther);
  EXPECT_EQ(tests.next(1000, kOther), Next::join);
}

TEST(SelfTests, EachClassOfSizesIsTested) {
  SelfTests tests;
  EXPECT_EQ(tests.next(1024, kOther), Next::test);
  tests.tested(1, 1024, Outcome::same);
  EXPECT_EQ(tests.next(2047, kOther), Next::test) << "its second launch";
  EXPECT_EQ(tests.next(2047, kOther), Next::join);
  EXPECT_EQ(tests.next(2048, kOther), Next::test) << "another class's first";
}

TEST(SelfTests, EveryKindMustBeTheSame) {
  SelfTests tests;
  tests.next(64, kOthers);
  tests.next(64, kOthers);
  tests.tested(1, 64, Outcome::same);
  EXPECT_EQ(tests.next(64, kOthers), Next::wait);
  tests.tested(3, 64, Outcome::same);
  tests.next(64, kOthers);
  EXPECT_EQ(tests.next(64, kOthers), Next::join);
}

TEST(SelfTests, OneDifferenceKeepsAKindApartForGoodAndAtEverySize) {
  SelfTests tests;
  tests.tested(1, 64, Outcome::same);
  EXPECT_FALSE(tests.is_apart(1));
  tests.tested(1, 64, Outcome::different);
  tests.tested(1, 64, Outcome::same);
  tests.tested(1, 4096, Outcome::same);
  EXPECT_TRUE(tests.is_apart(1));
  EXPECT_FALSE(tests.is_apart(3));
}

TEST(SelfTests, ATestThatCouldNotBeDoneTellsNothing) {
  SelfTests tests;
  tests.next(64, kOther);
  tests.next(64, kOther);
  tests.tested(1, 64, Outcome::none);
  EXPECT_FALSE(tests.is_apart(1));
  EXPECT_EQ(tests.next(64, kOther), Next::wait);
  EXPECT_EQ(tests.next(64, kOther), Next::test) << "tried again";
}

TEST(SelfTests, ABoxHasWhatTheFirstDeviceComputesInTheTimeOfATest) {
  const Ndrange ndrange{1, {}, {1 << 20, 1, 1}, {64, 1, 1}};
  EXPECT_EQ(SelfTests::box(ndrange, 0, 0).total(), SelfTests::kUnknownItems / 64);
  EXPECT_EQ(SelfTests::box(ndrange, 1'000'000, 0).total(), SelfTests::kMostItems / 64) << "all of it takes 1 ms";
  EXPECT_EQ(SelfTests::box(ndrange, 1'024'000'000, 0).total(), 2048u / 64) << "a 512th takes 2 ms";
  EXPECT_EQ(SelfTests::box(ndrange, UINT64_MAX, 0).total(), 1u);
}

TEST(SelfTests, ASmallLaunchIsTestedAsAWhole) {
  const Ndrange ndrange{2, {}, {32, 16, 1}, {8, 8, 1}};
  EXPECT_EQ(SelfTests::box(ndrange, 0, 0), (GroupBox{{0, 0, 0}, {4, 2, 1}}));
  EXPECT_EQ(SelfTests::box(ndrange, 0, 7), (GroupBox{{0, 0, 0}, {4, 2, 1}}));
}

TEST(SelfTests, BoxesLieInsideAndAreSpreadOverTheLaunch) {
  const Ndrange ndrange{2, {}, {1024, 1000, 1}, {16, 4, 1}};
  std::set<uint64_t> quarters;
  for (uint64_t number = 0; number < 8; ++number) {
    const GroupBox box = SelfTests::box(ndrange, 0, number);
    EXPECT_EQ(box.count, (Index3{64, 1, 1})) << "a row";
    EXPECT_LT(box.first[1], 250u);
    quarters.insert(box.first[1] * 4 / 250);
  }
  EXPECT_THAT(quarters, ElementsAre(0, 1, 2, 3));
}

TEST(SelfTests, TheLastGroupsCanBeTested) {
  const Ndrange ndrange{1, {}, {1 << 20, 1, 1}, {64, 1, 1}};
  uint64_t last = 0;
  for (uint64_t number = 0; number < 2000; ++number) {
    const GroupBox box = SelfTests::box(ndrange, 0, number);
    ASSERT_EQ(box.total(), 64u);
    last = std::max(last, box.first[0] + box.count[0]);
  }
  EXPECT_GT(last, (1u << 14) - 32);
  EXPECT_LE(last, 1u << 14);
}

}  // namespace
}  // namespace samcl
