// The bounds against exact worst cases, and where the published ones fail.
#include "analysis/makespan/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/makespan/convergence.h"
#include "analysis/makespan/exhaustive.h"
#include "analysis/makespan/queue_relaxation.h"
#include "analysis/makespan/rounds.h"

namespace samcl::analysis::makespan {
namespace {

Kernel kernel(const std::string& text, const std::vector<UnitRate>& rates = {}) {
  return parse_kernel(text, rates).value();
}

TEST(PublishedBound, CountsUnitsOneAfterTheOther) {
  // ceil(W / 1/2) * 4 + ceil(W / 1) * 1 for LLCLL with Lambda_L = 1/2.
  EXPECT_EQ(published_bound(kernel("LLCLL", {{.letter = 'L', .slots = 2}}), 10), 90);
  EXPECT_EQ(published_bound(kernel("LLCLL"), 600), 3000);
}

TEST(PublishedBound, IsTheSafeOneWhereUnitsTakeOneWarp) {
  for (const std::string text : {"L", "LC", "LLCLL", "CLCCLLC"})
    for (const int warps : {1, 2, 13}) {
      EXPECT_TRUE(published_bound_is_safe(kernel(text)));
      EXPECT_EQ(safe_bound(kernel(text), warps), published_bound(kernel(text), warps));
    }
}

TEST(PublishedBound, IsExceededWhereUnitsTakeMore) {
  const Kernel four = kernel("LL", {{.letter = 'L', .warps = 4}});
  EXPECT_EQ(published_bound(four, 8), 4);
  EXPECT_EQ(worst_case(four, 8).attained, 5);
  EXPECT_EQ(safe_bound(four, 8), 5);
  EXPECT_FALSE(published_bound_is_safe(four));
}

// At the start; from there on each state of worst_case()'s third step trusts them.
void expect_sound(const Kernel& kernel, int warps) {
  const Chain chain(kernel);
  const WorstCase worst = worst_case(kernel, warps, {.beam = 0, .relaxation = false});
  EXPECT_GE(safe_bound(kernel, warps), worst.attained);
  const auto relaxation = QueueRelaxation::make(chain, warps);
  if (!relaxation) return;
  EXPECT_GE(relaxation->bound(chain, chain.start(warps).data()), worst.attained)
      << letters(kernel) << ", " << warps << " warps";
}

TEST(Bounds, AreAboveEveryWorstCase) {
  for (const std::string text : {"L", "LC", "LCL", "LLCLL", "LLCCLL", "CLCCLLC", "LCCCLC", "LCTLC", "TTLCTL"})
    for (const int warps : {2, 3, 5, 8}) {
      expect_sound(kernel(text), warps);
      expect_sound(kernel(text, {{.letter = 'L', .warps = 2}}), warps);
    }
}

TEST(Bounds, AreTightWhereOneUnitIsTheBottleneck) {
  const Chain chain(kernel("LLCLL"));
  const auto relaxation = QueueRelaxation::make(chain, 600);
  ASSERT_TRUE(relaxation);
  EXPECT_EQ(relaxation->bound(chain, chain.start(600).data()), 2401);
}

TEST(PublishedEstimate, IsExceededByLCL) {
  const Convergence all = convergence(kernel("LCL"), 4, 2);
  ASSERT_EQ(all.points.size(), 2);
  EXPECT_EQ(all.points[0].estimate, 12);
  EXPECT_EQ(all.points[1].makespan, 4);
  EXPECT_EQ(all.points[1].least, 8);
  EXPECT_EQ(all.worst.attained, 9);
  EXPECT_EQ(exhaustive_worst_case(kernel("LCL"), 4), 9);
  EXPECT_TRUE(all.estimate_exceeded());
}

TEST(PublishedEstimate, IsExceededByEightOfTheShortestStrings) {
  // All strings over L and C of up to five letters, up to six warps, estimated from fewer.
  std::vector<std::string> exceeded;
  for (size_t length = 1; length <= 5; ++length)
    for (unsigned bits = 0; bits < 1U << length; ++bits) {
      std::string text;
      for (size_t i = 0; i < length; ++i) text += (bits >> i & 1) != 0 ? 'C' : 'L';
      for (int warps = 2; warps <= 6; ++warps) {
        if (!convergence(kernel(text), warps, warps - 1).estimate_exceeded()) continue;
        exceeded.push_back(text);
        break;
      }
    }
  EXPECT_THAT(exceeded,
              testing::ElementsAre("LCL", "CLC", "LCLL", "CLCC", "LCLLL", "LCLCL", "CLCLC", "CLCCC"));
}

TEST(PublishedEstimate, ComesDownToTheWorstCaseForThePapersFigures) {
  const Convergence figure = convergence(kernel("LLCLL"), 600, 20);
  ASSERT_EQ(figure.points.size(), 20);
  EXPECT_EQ(figure.points.front().least, 3000);
  EXPECT_EQ(figure.points.back().least, 2430);
  EXPECT_EQ(figure.worst.bound, 2401);
  EXPECT_FALSE(figure.estimate_exceeded());
}

TEST(Rounds, GiveBlocksToMultiprocessorsInTurn) {
  const auto rounds = deal(1000, {.count = 4, .resident = 64, .block = 8}).value();
  EXPECT_EQ(rounds.full, 3);  // of 256 warps
  EXPECT_EQ(rounds.warps_of_full, 64);
  EXPECT_EQ(rounds.warps_of_last, 64);  // 232 warps are 29 blocks: 8, 7, 7 and 7
  EXPECT_EQ(deal(5, {.count = 2, .resident = 8, .block = 4})->warps_of_last, 4);
  EXPECT_EQ(deal(3, {.count = 2, .resident = 8, .block = 4})->warps_of_last, 3);
  EXPECT_EQ(deal(64, {.count = 1, .resident = 10, .block = 4})->full,
            8);  // only whole blocks: 8 warps at once
}

TEST(Rounds, AddUp) {
  const auto all = worst_case_of_rounds(kernel("LLCLL"), 150, {.count = 1, .resident = 64}).value();
  EXPECT_EQ(all.attained, 257 + 257 + 4 * 22 + 1);
  EXPECT_EQ(all.bound, all.attained);
}

TEST(Rounds, RefuseWhatMakesNoSense) {
  EXPECT_EQ(deal(8, {.count = 0}).error().message,
            "the number of multiprocessors is 0, expected 1 to 100000");
  EXPECT_EQ(deal(8, {.resident = 4, .block = 5}).error().message,
            "the warps of a block are 5, expected 1 to 4, which a multiprocessor holds");
}

}  // namespace
}  // namespace samcl::analysis::makespan
