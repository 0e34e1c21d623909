// worst_case() against trying everything, against simulated schedulers, and by the schedules it gives.
#include "analysis/makespan/worst_case.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/simulate.h"
#include "analysis/makespan/testing/exhaustive.h"
#include "base/test_seed.h"

namespace samcl::analysis::makespan {
namespace {

Kernel kernel(const std::string& text, const std::vector<UnitRate>& rates = {}) {
  return parse_kernel(text, rates).value();
}

// Only the third step, without any reduction, with each alone, and with all; and everything.
std::vector<Effort> efforts() {
  const auto third_step = [](bool queues, bool runs, bool pauses, bool domination) {
    return Effort{.beam = 0, .reductions = {queues, runs, pauses, domination}};
  };
  return {third_step(false, false, false, false),
          third_step(true, false, false, false),
          third_step(false, true, false, false),
          third_step(false, false, true, false),
          third_step(false, false, false, true),
          third_step(true, true, true, true),
          Effort{}};
}

void expect_exact(const Kernel& kernel, int warps, Slots expected) {
  for (const Effort& effort : efforts()) {
    const WorstCase worst = worst_case(kernel, warps, effort);
    EXPECT_EQ(worst.attained, expected) << letters(kernel) << " with " << warps << " warps";
    EXPECT_EQ(worst.bound, expected) << letters(kernel) << " with " << warps << " warps";
    const auto checked = check_schedule(kernel, warps, worst.schedule);
    EXPECT_EQ(checked.value_or(-1), expected) << letters(kernel) << ": " << checked.error().message;
  }
}

// Every string of the letters up to that length.
std::vector<std::string> strings(const std::string& letters, size_t longest) {
  std::vector<std::string> all = {""};
  for (size_t n = 0; n < all.size(); ++n)
    if (all[n].size() < longest)
      for (const char letter : letters) all.push_back(all[n] + letter);
  all.erase(all.begin());
  return all;
}

TEST(WorstCase, IsExhaustiveSearchsForAllShortStrings) {
  for (const std::string& text : strings("LC", 5))
    for (int warps = 1; warps <= 4; ++warps) {
      const Kernel short_one = kernel(text);
      expect_exact(short_one, warps, exhaustive_worst_case(short_one, warps));
    }
}

TEST(WorstCase, IsExhaustiveSearchsWithLargerCapacities) {
  for (const std::string& text : strings("LC", 4))
    for (const auto& [l, c] : {std::pair(2, 1), std::pair(2, 2), std::pair(3, 1)}) {
      const Kernel short_one = kernel(text, {{.letter = 'L', .warps = l}, {.letter = 'C', .warps = c}});
      for (const int warps : {3, 5}) expect_exact(short_one, warps, exhaustive_worst_case(short_one, warps));
    }
}

TEST(WorstCase, IsExhaustiveSearchsForRandomUnitsAndLatencies) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int n = 0; n < 60; ++n) {
    std::string text;
    for (int i = draw(1, 5); i > 0; --i) text += "MASM"[draw(0, 3)];
    const Kernel random_one = kernel(text, {{.letter = 'M', .warps = draw(1, 2), .latency = draw(1, 4)},
                                            {.letter = 'A', .slots = draw(1, 2)},
                                            {.letter = 'S', .latency = draw(1, 2)}});
    const int warps = draw(1, 4);
    expect_exact(random_one, warps, exhaustive_worst_case(random_one, warps));
  }
}

TEST(WorstCase, IsFoundForSixtyFourWarps) {
  expect_exact(kernel("LCLL"), 64, 193);
  const WorstCase worst = worst_case(kernel("LLCLL"), 64);
  EXPECT_EQ(worst.attained, 257);
  EXPECT_TRUE(worst.exact());
}

TEST(WorstCase, IsFoundForThePapersLargestNumbers) {
  const WorstCase first = worst_case(kernel("LLCLL"), 600);
  EXPECT_EQ(first.attained, 2401);
  EXPECT_TRUE(first.exact());
  const WorstCase second = worst_case(kernel("LCLCL", {{.letter = 'L', .slots = 2}}), 420);
  EXPECT_EQ(second.attained, 2522);
  EXPECT_TRUE(second.exact());
  const Kernel two = kernel("LLCLL", {{.letter = 'L', .warps = 2}, {.letter = 'C', .warps = 2}});
  const WorstCase third = worst_case(two, 600);
  EXPECT_EQ(third.attained, 1203);
  EXPECT_EQ(third.bound, 1203);
  EXPECT_EQ(check_schedule(two, 600, third.schedule), 1203);
}

TEST(WorstCase, IsFoundWhereLoadsAndComputationsAlternateInBlocks) {
  for (const auto& [text, slots] : {std::pair("LLCCLL", 258), std::pair("LLCCLLCC", 323), std::pair("LLLCCCLLL", 450),
                                    std::pair("LLCCLLCCLL", 388)}) {
    const WorstCase worst = worst_case(kernel(text), 64);
    EXPECT_EQ(worst.attained, slots) << text;
    EXPECT_TRUE(worst.exact()) << text;
    EXPECT_EQ(check_schedule(kernel(text), 64, worst.schedule), slots) << text;
  }
  EXPECT_EQ(worst_case(kernel("LLCCLL"), 65'000).bound, 260'002);
}

TEST(WorstCase, IsFoundWithLatencies) {
  const WorstCase worst = worst_case(kernel("LLCLL", {{.letter = 'L', .latency = 4}}), 64);
  EXPECT_EQ(worst.attained, 269);
  EXPECT_TRUE(worst.exact());
}

TEST(WorstCase, IsExceededByNoSimulatedScheduler) {
  for (const std::string text : {"LLCLL", "LCCLCL", "CLLLCC"})
    for (const int warps : {2, 7, 12}) {
      const Kernel simulated = kernel(text, {{.letter = 'L', .latency = 2}});
      const WorstCase worst = worst_case(simulated, warps);
      EXPECT_TRUE(worst.exact());
      for (const Policy policy : kPolicies)
        for (uint64_t seed = 1; seed <= (policy == Policy::random ? 50 : 1); ++seed) {
          const auto makespan = check_schedule(simulated, warps, simulate(simulated, warps, policy, seed));
          ASSERT_TRUE(makespan) << name(policy) << ": " << makespan.error().message;
          EXPECT_LE(*makespan, worst.attained) << text << ", " << warps << " warps, " << name(policy);
        }
    }
}

TEST(WorstCase, GivesTwoBoundsWhereTheEffortDoesNotSuffice) {
  const Kernel hard = kernel("LLCCLL", {{.letter = 'L', .latency = 4}});
  const Slots exact = worst_case(hard, 12).attained;
  const WorstCase rough = worst_case(hard, 12, {.places = 2'000, .beam = 1});
  EXPECT_FALSE(rough.exact());
  EXPECT_LE(rough.attained, exact);
  EXPECT_GE(rough.bound, exact);
  EXPECT_EQ(check_schedule(hard, 12, rough.schedule), rough.attained);
}

TEST(WorstCase, OfAVeryLongStringIsOnlyBounded) {
  const Kernel long_one = kernel("(L(CLC)50)1000");
  const WorstCase worst = worst_case(long_one, 64);
  EXPECT_EQ(worst.attained, 151'000);
  EXPECT_EQ(worst.bound, safe_bound(long_one, 64));
  EXPECT_TRUE(worst.schedule.empty());
}

TEST(WorstCase, NeverFallsWithMoreWarps) {
  for (const std::string& text : strings("LC", 5)) {
    Slots before = 0;
    for (int warps = 1; warps <= 6; ++warps) {
      const Slots now = worst_case(kernel(text), warps).attained;
      EXPECT_GE(now, before) << text << ", " << warps << " warps";
      before = now;
    }
  }
}

}  // namespace
}  // namespace samcl::analysis::makespan
