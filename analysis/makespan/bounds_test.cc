// The bounds against exact worst cases, and where the published ones fail.
#include "analysis/makespan/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/makespan/convergence.h"
#include "analysis/makespan/pause_relaxation.h"
#include "analysis/makespan/queue_relaxation.h"
#include "analysis/makespan/rounds.h"
#include "analysis/makespan/run_relaxation.h"
#include "analysis/makespan/slot.h"
#include "analysis/makespan/testing/exhaustive.h"
#include "base/test_seed.h"

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

// What every state takes at most, by trying everything.
class Longest {
 public:
  explicit Longest(const Chain& chain) : chain_(chain) {}

  Slots from(const Counts& state) {
    if (std::all_of(state.begin(), state.end(), [](Count count) { return count == 0; })) return 0;
    const auto [known, is_new] = found_.emplace(state, 0);
    if (!is_new) return known->second;
    std::vector<Counts> next;
    Counts moved(chain_.places()), to(chain_.places());
    auto step = [&] {
      move(moved, state.data(), to.data());
      next.push_back(to);
    };
    SlotChoices<decltype(step)>(chain_, moved, step).visit_all(state.data());
    Slots longest = 0;
    for (const Counts& after : next) longest = std::max(longest, 1 + from(after));
    return found_[state] = longest;
  }

  const std::map<Counts, Slots>& found() const { return found_; }

 private:
  const Chain& chain_;
  std::map<Counts, Slots> found_;
};

void expect_sound(const Kernel& kernel, int warps) {
  const Chain chain(kernel);
  Longest longest(chain);
  EXPECT_GE(safe_bound(kernel, warps), longest.from(chain.start(warps)));
  const auto queues = QueueRelaxation::make(chain, warps);
  const auto runs = RunRelaxation::make(chain, warps);
  for (const auto& [state, slots] : longest.found()) {
    const auto tell = [&, &state = state] { return letters(kernel) + " in " + testing::PrintToString(state); };
    EXPECT_GE(last_warp_bound(chain, state.data()), slots) << tell();
    EXPECT_GE(queues ? queues->bound(chain, state.data()).value_or(slots) : slots, slots) << tell();
    EXPECT_GE(runs ? runs->bound(state.data()) : slots, slots) << tell();
  }
}

TEST(Bounds, AreExceededFromNoState) {
  for (const std::string text : {"L", "LC", "LCL", "LLCLL", "LLCCLL", "CLCCLLC", "LCCCLC", "LCTLC", "TTLCTL"})
    for (const int warps : {2, 3, 5}) {
      expect_sound(kernel(text), warps);
      expect_sound(kernel(text, {{.letter = 'L', .warps = 2}}), warps);
      expect_sound(kernel(text, {{.letter = 'L', .warps = 2}, {.letter = 'C', .warps = 2, .latency = 2}}), warps);
    }
}

TEST(Bounds, AreExceededFromNoStateOfRandomKernels) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int n = 0; n < 60; ++n) {
    std::string text;
    for (int i = draw(2, 6); i > 0; --i) text += "MAMAS"[draw(0, 4)];
    const auto rate = [&](char letter) {
      return UnitRate{.letter = letter, .warps = draw(1, 3), .latency = draw(1, 4)};
    };
    expect_sound(kernel(text, {rate('M'), rate('A'), rate('S')}), draw(2, 5));
  }
}

TEST(Bounds, AreTightWhereOneUnitIsTheBottleneck) {
  const Chain chain(kernel("LLCLL"));
  const auto relaxation = QueueRelaxation::make(chain, 600);
  ASSERT_TRUE(relaxation);
  EXPECT_EQ(relaxation->bound(chain, chain.start(600).data()), 2401);
}

TEST(Bounds, AreTightWhereUnitsAreIdleInTurns) {
  for (const int warps : {2, 64, 65'000}) {
    const Chain chain(kernel("LLCCLL"));
    const auto relaxation = RunRelaxation::make(chain, warps);
    ASSERT_TRUE(relaxation);
    EXPECT_EQ(relaxation->bound(chain.start(warps).data()), 4 * warps + 2);
  }
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
  EXPECT_THAT(exceeded, testing::ElementsAre("LCL", "CLC", "LCLL", "CLCC", "LCLLL", "LCLCL", "CLCLC", "CLCCC"));
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
  EXPECT_EQ(deal(8, {.count = 0}).error().message, "the number of multiprocessors is 0, expected 1 to 100000");
  EXPECT_EQ(deal(8, {.resident = 4, .block = 5}).error().message,
            "the warps of a block are 5, expected 1 to 4, which a multiprocessor holds");
}

// How many are bounded exactly is counted, so that a bound that says less than before is seen.
TEST(PauseBound, IsNeverExceededAndMostlyExact) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  int known = 0, exact = 0;
  for (int n = 0; n < 400; ++n) {
    std::string text;
    for (int i = draw(1, 6); i > 0; --i) text += "LCT"[draw(0, n % 2 == 0 ? 1 : 2)];
    const Kernel random_one = kernel(text, {{.letter = 'L', .warps = draw(1, 3), .latency = draw(0, 3) == 0 ? 2 : 1},
                                            {.letter = 'C', .warps = draw(1, 2)}});
    const int warps = draw(1, 5);
    const auto bound = pause_bound(Chain(random_one), warps);
    if (!bound) continue;
    const Slots longest = exhaustive_worst_case(random_one, warps);
    ASSERT_GE(*bound, longest) << letters(random_one) << ", " << warps << " warps";
    ++known;
    exact += *bound == longest ? 1 : 0;
  }
  EXPECT_GT(known, 300);
  EXPECT_GT(exact, known / 2);
}

TEST(PauseBound, IsNothingWhereThereAreTooManyStates) { EXPECT_FALSE(pause_bound(Chain(kernel("LCLCLCLC")), 64)); }

}  // namespace
}  // namespace samcl::analysis::makespan
