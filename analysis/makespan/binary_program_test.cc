// The binary program: what is exported; and with a solver, that it has the exact worst case.
#include "analysis/makespan/binary_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/makespan/worst_case.h"
#ifdef SAMCL_HAVE_CBC
#include "analysis/makespan/solve.h"
#endif

namespace samcl::analysis::makespan {
namespace {

using testing::HasSubstr;

TEST(BinaryProgram, IsWrittenAsLp) {
  const std::string lp =
      format_lp(binary_program(*parse_kernel("LC"), 2, Conserving::short_form).value(), "LC, 2 warps");
  EXPECT_THAT(lp, HasSubstr("\\ LC, 2 warps\nMaximize\n makespan: 5 one"
                            " - x_1_1_0 - x_1_1_1 - x_1_1_2 - x_1_1_3\nSubject To\n is_one: one = 1\n"));
  EXPECT_THAT(lp, HasSubstr("\n order_0_1_2: - x_0_1_2 + x_0_0_1 >= 0\n"));
  EXPECT_THAT(lp, HasSubstr("\n capacity_L_0: - x_0_0_0 - x_1_0_0 >= -1\n"));
  EXPECT_THAT(lp, HasSubstr("\n conserving_0_0_0: + 2 x_0_0_0 + x_1_0_0 >= 1\n"));
  EXPECT_THAT(lp, testing::EndsWith("\n x_1_1_3\nEnd\n"));
}

TEST(BinaryProgram, HasVariablesOfItsOwnInTheLongForm) {
  const auto program = binary_program(*parse_kernel("LC"), 2, Conserving::long_form).value();
  EXPECT_THAT(program.variables, testing::IsSupersetOf({"f_C_3", "v_1_0_2"}));
}

TEST(BinaryProgram, IsRefusedWhereItWouldBeTooLarge) {
  EXPECT_THAT(binary_program(*parse_kernel("LLCLL"), 600, Conserving::short_form).error().message,
              HasSubstr("terms, expected at most 20000000"));
}

#ifdef SAMCL_HAVE_CBC
TEST(BinaryProgram, HasTheExactWorstCaseInBothForms) {
  struct Case {
    const char* text;
    int warps;
    std::vector<UnitRate> rates;
  };
  const std::vector<Case> cases = {{"LC", 3, {}},
                                   {"LCL", 2, {}},
                                   {"LCL", 3, {}},
                                   {"LLC", 2, {{.letter = 'L', .latency = 3}}},
                                   {"LL", 4, {{.letter = 'L', .warps = 2}}},
                                   {"MAS", 2, {{.letter = 'A', .slots = 2}}}};
  for (const auto& [text, warps, rates] : cases)
    for (const Conserving form : {Conserving::short_form, Conserving::long_form}) {
      const Kernel kernel = parse_kernel(text, rates).value();
      const auto solved = solve_with_cbc(kernel, warps, form, 60);
      ASSERT_TRUE(solved) << solved.error().message;
      ASSERT_TRUE(*solved) << text << ": not solved in time";
      EXPECT_EQ((*solved)->makespan, worst_case(kernel, warps).attained) << text << ", " << warps << " warps";
    }
}
#endif

}  // namespace
}  // namespace samcl::analysis::makespan
