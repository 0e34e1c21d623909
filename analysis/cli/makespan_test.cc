// sam-analyze makespan as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

using SamAnalyzeMakespan = InFolder;
using Berezovskyi = InFolder;

TEST_F(SamAnalyzeMakespan, FindsTheExactWorstCase) {
  const Outcome outcome = run("makespan LLCLL --warps 64 --json --schedule");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("attained"), 257);
  EXPECT_EQ(json.at("exact"), true);
  EXPECT_EQ(json.at("schedule").size(), 320);
}

TEST_F(SamAnalyzeMakespan, FindsStringsInBlocksAtOnce) {
  const auto json = nlohmann::json::parse(run("makespan LLCCLL --warps 64 --json").output);
  EXPECT_EQ(json.at("attained"), 258);
  EXPECT_EQ(json.at("exact"), true);
}

TEST_F(SamAnalyzeMakespan, RefusesARateOfAUnitThatTheStringLacks) {
  const Outcome outcome = run("makespan LCL --warps 3 --unit S=1/4");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--unit S=1/4: there is no S in LCL"));
}

TEST_F(SamAnalyzeMakespan, DrawsTheSchedule) {
  const Outcome outcome = run("makespan LC --warps 2 --schedule --simulate 3 --svg " + path("s.svg"));
  EXPECT_THAT(outcome.output, HasSubstr("slot   0\nwarp 1 LC\nwarp 2 .LC\nunit L 11.\nunit C .11\n"));
  EXPECT_THAT(outcome.output, HasSubstr("round robin"));
  EXPECT_THAT(text("s.svg"), testing::EndsWith("</svg>\n"));
}

TEST_F(SamAnalyzeMakespan, ShowsWhereThePublishedEstimateFails) {
  const Outcome outcome = run("makespan LCL --warps 4 --converge 2");
  EXPECT_THAT(outcome.output, HasSubstr("The least estimate is exceeded by a schedule"));
}

TEST_F(SamAnalyzeMakespan, DealsWarpsOutInRounds) {
  const auto json =
      nlohmann::json::parse(run("makespan LLCLL --warps 1000 --multiprocessors 2 --resident 64 --json").output);
  EXPECT_EQ(json.at("full_rounds"), 7);
  EXPECT_EQ(json.at("warps_of_last"), 52);
}

TEST_F(SamAnalyzeMakespan, WritesTheBinaryProgram) {
  EXPECT_EQ(run("makespan LCL --warps 2 --form long --lp " + path("s.lp")).code, 0);
  EXPECT_THAT(text("s.lp"), HasSubstr("Maximize"));
}

#ifdef SAMCL_HAVE_TRANSLATOR
TEST_F(SamAnalyzeMakespan, ReadsAKernel) {
  const std::string source = written("k.cl",
                                     "__kernel void scale(__global float* a, int n) {\n"
                                     "  for (int i = 0; i < n; ++i) a[i * N] *= 2;\n}\n");
  const std::string command = "makespan --kernel " + source + " --name scale --build-option=-DN=3 --warps 8 ";
  const Outcome found = run(command + "--loop-bounds 2=5 --unit L=1/2:4 --json");
  EXPECT_EQ(found.code, 0) << found.output;
  const auto json = nlohmann::json::parse(found.output);
  EXPECT_THAT(json.at("remarks").dump(), HasSubstr("loop in line 2: 5 rounds, as given"));
  EXPECT_GE(json.at("attained"), 8 * 2 * 5 * 2);  // a load and a store, five times, two slots each
  EXPECT_THAT(run(command + "--loop-bounds 2=5").output,
              HasSubstr("units: C arithmetic, L memory, S special function"));
  const Outcome unbounded = run(command);
  EXPECT_EQ(unbounded.code, 2);
  EXPECT_THAT(unbounded.output, HasSubstr("the loop in line 2 has unknown rounds; give a bound"));
}
#endif

TEST_F(SamAnalyzeMakespan, NamesWhatIsWrong) {
  for (const auto& [arguments, message] :
       {std::pair("'LLxCL(' --warps 4", "kernel string, character 7: expected ')'"),
        std::pair("LC --warps 0", "--warps is 0, expected 1 to 65000"),
        std::pair("LC --warps 4 --unit L=0", "unit L: its rate is 0/1"),
        std::pair("LC --warps 4 --unit L", "--unit: \"L\" is no unit"),
        std::pair("LC --warps 4 --resident 0", "the warps that a multiprocessor holds are 0"),
        std::pair("LC --warps 4 --svg /dev/null/x.svg", "/dev/null/x.svg"),
        std::pair("LLCLL --warps 600 --lp x.lp", "--lp: the binary program would have"),
        std::pair("LC", "--warps: how many?"),
        std::pair("--warps 4", "expected a kernel string, or --kernel with --name"),
        std::pair("--warps 4 --kernel x.cl", "--kernel: expected --name as well"),
        std::pair("LC --warps 4 --kernel x.cl --name k", "expected a kernel string or --kernel, not both")}) {
    const Outcome outcome = run(std::string("makespan ") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(message)) << arguments;
  }
}

TEST_F(SamAnalyzeMakespan, ReadsAConfigurationFile) {
  const std::string file = written("config",
                                   "# the paper's Fig. 7\ninstructions = LCLCL\nwarps=420\nwarp_size = 32\n"
                                   "load_store_units = 16\ncuda_cores = 32\n");
  const Outcome outcome = run("makespan --config " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("420 warps of LLCLLCLL"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("worst case +2522"));
  written("config", "instructions = LC\nwarp = 4\n");
  EXPECT_THAT(run("makespan --config " + file).output,
              HasSubstr(file + ": line 2: 'warp', expected instructions, warps"));
  EXPECT_EQ(run("makespan LC").code, 2);
}

// Lambda = 2 for both units: what more is not excluded is two slots.
TEST_F(SamAnalyzeMakespan, AttainsWhatIsKnownWithTwoWarpsPerSlot) {
  const auto json = nlohmann::json::parse(run("makespan LLCLL --unit L=2 --unit C=2 --warps 600 --json").output);
  EXPECT_EQ(json.at("attained"), 1203);
  EXPECT_LE(json.at("bound").get<int>(), 1205);
}

TEST_F(Berezovskyi, DrawsItsFigures) {
  const Outcome outcome = run("experiment berezovskyi --warps 2 --converge 6 --out " + path("b"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("Fig. 6: LLCLL, 600 warps"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("T\\(W\\), exact +2522"));
  EXPECT_THAT(text("b.json"), HasSubstr("Fig. 7: LCLCL, 420 warps"));
}

// With so few warps every string is exact, whatever is left out: 0 is left.
TEST(Reductions, AreLeftOutOneByOne) {
  const Outcome outcome = run("experiment reductions --warps 3 --effort 20");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("ALL"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("L first: 255( +255, 0, [0-9.]+ s){6}"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("latency 4 of L: 57( +57, 0, [0-9.]+ s){6}"));
}

}  // namespace
}  // namespace samcl::analysis
