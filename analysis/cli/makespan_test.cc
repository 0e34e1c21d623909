// sam-analyze makespan as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/cli/command_test.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

std::string temporary(const std::string& name) {
  return testing::TempDir() + "sam_analyze_makespan_" + std::to_string(getpid()) + name;
}

std::string take(const std::string& file) {
  std::ifstream in(file);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::remove(file.c_str());
  return text;
}

TEST(SamAnalyzeMakespan, FindsTheExactWorstCase) {
  const Outcome outcome = run("makespan LLCLL --warps 64 --json --schedule");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("attained"), 257);
  EXPECT_EQ(json.at("exact"), true);
  EXPECT_EQ(json.at("schedule").size(), 320);
}

TEST(SamAnalyzeMakespan, DrawsTheSchedule) {
  const std::string svg = temporary(".svg");
  const Outcome outcome = run("makespan LC --warps 2 --schedule --simulate 3 --svg " + svg);
  EXPECT_THAT(outcome.output, HasSubstr("slot   0\nwarp 1 LC\nwarp 2 .LC\nunit L 11.\nunit C .11\n"));
  EXPECT_THAT(outcome.output, HasSubstr("round robin"));
  EXPECT_THAT(take(svg), testing::EndsWith("</svg>\n"));
}

TEST(SamAnalyzeMakespan, ShowsWhereThePublishedEstimateFails) {
  const Outcome outcome = run("makespan LCL --warps 4 --converge 2");
  EXPECT_THAT(outcome.output, HasSubstr("The least estimate is exceeded by a schedule"));
}

TEST(SamAnalyzeMakespan, DealsWarpsOutInRounds) {
  const auto json = nlohmann::json::parse(
      run("makespan LLCLL --warps 1000 --multiprocessors 2 --resident 64 --json").output);
  EXPECT_EQ(json.at("full_rounds"), 7);
  EXPECT_EQ(json.at("warps_of_last"), 52);
}

TEST(SamAnalyzeMakespan, WritesTheBinaryProgram) {
  const std::string lp = temporary(".lp");
  EXPECT_EQ(run("makespan LCL --warps 2 --form long --lp " + lp).code, 0);
  EXPECT_THAT(take(lp), HasSubstr("Maximize"));
}

TEST(SamAnalyzeMakespan, NamesWhatIsWrong) {
  for (const auto& [arguments, message] :
       {std::pair("'LLxCL(' --warps 4", "kernel string, character 7: expected ')'"),
        std::pair("LC --warps 0", "--warps is 0, expected 1 to 65000"),
        std::pair("LC --warps 4 --unit L=0", "unit L: its rate is 0/1"),
        std::pair("LC --warps 4 --unit L", "--unit: \"L\" is no unit"),
        std::pair("LC --warps 4 --resident 0", "the warps that a multiprocessor holds are 0"),
        std::pair("LC --warps 4 --svg /nonexistent/x.svg", "/nonexistent/x.svg"),
        std::pair("LLCLL --warps 600 --lp x.lp", "--lp: the binary program would have"),
        std::pair("LC", "--warps is required")}) {
    const Outcome outcome = run(std::string("makespan ") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(message)) << arguments;
  }
}

}  // namespace
}  // namespace samcl::analysis
