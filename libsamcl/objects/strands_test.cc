#include "libsamcl/objects/strands.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace samcl {
namespace {

constexpr unsigned kMost = Strands::kMost;
constexpr auto only = Strands::only;

TEST(Strands, AreNoneForASingleQueue) {
  Strands strands(false);
  StrandUse use;
  for (int command = 0; command < 100; ++command) EXPECT_EQ(strands.of(use, true), 0u);
}

TEST(Strands, AreNoneForQueuesThatWorkByTurns) {
  Strands strands(false);
  std::vector<StrandUse> queues(3);
  for (int command = 0; command < 100; ++command) EXPECT_EQ(strands.of(queues[command % 3], false), 0u);
}

TEST(Strands, IsOnesOwnThatMetOthersTwice) {
  Strands strands(false);
  StrandUse first, second;
  strands.of(first, false);
  EXPECT_EQ(strands.of(second, true), 0u);
  strands.of(first, false);
  EXPECT_EQ(strands.of(second, true), 1u);
  EXPECT_EQ(strands.of(second, false), 1u) << "and stays its own";
  EXPECT_EQ(strands.of(first, true), 0u) << "nobody else is there any more";
}

TEST(Strands, AreGivenByTurnsToMoreQueuesThanThereAre) {
  Strands strands(true);
  std::vector<StrandUse> queues(2 * kMost);
  std::set<unsigned> given;
  for (StrandUse& each : queues) given.insert(strands.of(each, false));
  EXPECT_EQ(given.size(), Strands::kFirstBeside);
  EXPECT_EQ(queues[1].strand, queues[Strands::kFirstBeside].strand);
}

TEST(Strands, RunLaunchesBesideOthersWhereTheyNeedNothingOfThese) {
  constexpr unsigned kFirst = Strands::kFirstBeside;
  Strands::Loads loads{};
  EXPECT_EQ(Strands::beside(0, 0, loads), 0u) << "nothing runs";
  loads[0] = 1;
  EXPECT_EQ(Strands::beside(2, 0, loads), 2u) << "only another queue's launches run";
  EXPECT_EQ(Strands::beside(0, 0, loads), kFirst);
  loads[kFirst] = 1;
  EXPECT_EQ(Strands::beside(0, 0, loads), kFirst + 1);
  EXPECT_EQ(Strands::beside(0, only(kFirst), loads), kFirst) << "behind what it needs";
  EXPECT_EQ(Strands::beside(0, only(0) | only(kFirst), loads), 0u);
  loads.fill(2);
  EXPECT_EQ(Strands::beside(3, 0, loads), 3u) << "none has less to do";
  loads[kFirst + 2] = 1;
  EXPECT_EQ(Strands::beside(3, 0, loads), kFirst + 2);
}

TEST(Strands, IsClosedThatOftenWaitsForOthers) {
  Strands strands(false);
  StrandUse first, second, third;
  for (StrandUse* const each : {&second, &second, &third, &third}) {
    strands.of(first, false);
    strands.of(*each, true);
  }
  ASSERT_EQ(second.strand, 1u);
  ASSERT_EQ(third.strand, 2u);
  for (int command = 0; command < 100; ++command) {
    strands.of(second, true);
    strands.of(third, true);
    if (command % 5 == 0) strands.waits(third.strand, 0);
    if (command % 2 == 0) strands.waits(0, second.strand);
  }
  EXPECT_EQ(strands.of(second, true), 0u);
  EXPECT_EQ(strands.of(third, true), 2u) << "what it seldom waits for costs less than to wait for all";
}

}  // namespace
}  // namespace samcl
