// Kernel strings and schedules: what is read, and what is refused.
#include "analysis/makespan/model.h"

#include <gtest/gtest.h>

#include "analysis/makespan/schedule.h"

namespace samcl::analysis::makespan {
namespace {

TEST(KernelString, RepeatsLettersAndGroups) {
  EXPECT_EQ(letters(*parse_kernel("L2 C L2")), "LLCLL");
  EXPECT_EQ(letters(*parse_kernel("L(C2(LT)2)2")), "LCCLTLTCCLTLT");
  EXPECT_EQ(letters(*parse_kernel("LC0L")), "LL");
}

TEST(KernelString, WritesLettersOfFractionalUnitsSeveralTimes) {
  const Kernel half = *parse_kernel("LCLCL", {{.letter = 'L', .slots = 2, .latency = 4}});
  EXPECT_EQ(letters(half), "LLCLLCLL");
  EXPECT_EQ(half.units[0].capacity, 1);
  EXPECT_EQ(half.instructions[0].latency, 1);
  EXPECT_EQ(half.instructions[1].latency, 4);
  const Kernel three_halves = *parse_kernel("L", {{.letter = 'L', .warps = 6, .slots = 4}});
  EXPECT_EQ(letters(three_halves), "LL");
  EXPECT_EQ(three_halves.units[0].capacity, 3);
}

TEST(KernelString, IsRefusedWithThePlace) {
  const auto message = [](const std::string& text) { return parse_kernel(text).error().message; };
  EXPECT_EQ(message(""), "kernel string: it has no instructions, expected letters such as LLCLL");
  EXPECT_EQ(message("LL-C"),
            "kernel string, character 3: '-' is neither a unit's letter nor a parenthesis nor a count after one");
  EXPECT_EQ(message("(LC"), "kernel string, character 4: expected ')'");
  EXPECT_EQ(message("LC)"), "kernel string, character 3: unexpected ')'");
  EXPECT_EQ(message("L99999999999999999999"), "kernel string, character 22: more than 1000000 instructions");
  EXPECT_EQ(parse_kernel("L", {{.letter = 'L', .warps = 0}}).error().message,
            "unit L: its rate is 0/1, expected 1 to 65000 warps per 1 to 1000 slots");
  EXPECT_EQ(parse_kernel("L", {{.letter = 'L'}, {.letter = 'L'}}).error().message, "unit L: it is given twice");
}

TEST(UnitRate, IsReadFromText) {
  const UnitRate rate = parse_rate("L=3/2:20").value();
  EXPECT_EQ(rate.letter, 'L');
  EXPECT_EQ(rate.warps, 3);
  EXPECT_EQ(rate.slots, 2);
  EXPECT_EQ(rate.latency, 20);
  EXPECT_EQ(parse_rate("C=4:2")->latency, 2);
  for (const std::string bad : {"", "L", "L=", "L=1/", "L=1 2", "L=1/2:3x", "1=2", "LC=1", "L=1234567"})
    EXPECT_EQ(parse_rate(bad).error().message, "\"" + bad +
                                                   "\" is no unit, expected LETTER=WARPS, LETTER=WARPS/SLOTS "
                                                   "or either with :LATENCY, such as L=1/2:20");
}

TEST(Schedule, IsCheckedAgainstTheModel) {
  const Kernel kernel = *parse_kernel("LC");
  EXPECT_EQ(check_schedule(kernel, 2, {{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {2, 1, 1}}), 3);
  const auto message = [&](const Schedule& schedule) { return check_schedule(kernel, 2, schedule).error().message; };
  EXPECT_EQ(message({{0, 0, 0}, {1, 0, 1}, {2, 1, 0}, {3, 1, 1}}),
            "slot 1: unit L took 0 warps, a work-conserving scheduler gives it 1");
  EXPECT_EQ(message({{0, 0, 0}, {0, 1, 0}}), "slot 0: unit L took 2 warps, a work-conserving scheduler gives it 1");
  EXPECT_EQ(message({{0, 0, 1}}), "slot 0, warp 0: instruction 1 is not its next");
  EXPECT_EQ(message({{0, 0, 0}, {0, 0, 1}}), "slot 0, warp 0: it is not ready");
  EXPECT_EQ(message({{0, 0, 0}, {1, 0, 1}, {1, 1, 0}}), "warp 1 does not end");
}

}  // namespace
}  // namespace samcl::analysis::makespan
