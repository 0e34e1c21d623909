// sam-analyze access as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/command_test.h"

namespace samcl::analysis {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

std::string example(const std::string& name) {
  return std::string(EXAMPLES) + "/" + name + ".json";
}

// Wang et al., ECRTS 2024, Example 2.
TEST(SamAnalyzeAccess, PrintsEveryAnalysisBesideTheOthers) {
  const Outcome outcome = run("access --update 1ms " + example("gcaps_fig5"));
  EXPECT_THAT(outcome.output, ContainsRegex("gcaps-published +no +T4 may miss the deadline"));
  EXPECT_THAT(outcome.output, HasSubstr("expected its own for jitter"));
  EXPECT_THAT(outcome.output, ContainsRegex("ENDS WITHIN +CPU +DEADLINE +gcaps +gcaps-published +mpcp"));
}

TEST(SamAnalyzeAccess, OneAnalysisAsJson) {
  const Outcome outcome = run("access --json --analysis fmlp+ " + example("gcaps_fig5"));
  const auto analyses = nlohmann::json::parse(outcome.output).at("analyses");
  ASSERT_EQ(analyses.size(), 1);
  EXPECT_EQ(analyses[0].at("analysis"), "fmlp+");
  EXPECT_EQ(analyses[0].at("tasks")[0].at("name"), "T1");
  EXPECT_EQ(outcome.code, analyses[0].at("schedulable") ? 0 : 1);
}

TEST(SamAnalyzeAccess, FindsAPartitionForEachTask) {
  EXPECT_EQ(run("access --analysis unified " + example("partitions")).code, 1)
      << "one part each is too little";
  const Outcome outcome = run("access --analysis unified --partition " + example("partitions"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("camera has 2 parts of the GPU."));
}

TEST(SamAnalyzeAccess, BadInputIsExitCodeTwoAndNamed) {
  const Outcome shared = run("access --analysis jitter " + example("gcaps_fig5"));
  EXPECT_EQ(shared.code, 2);
  EXPECT_THAT(shared.output,
              HasSubstr("task \"T3\", devices: that of \"T1\" too, expected its own for jitter"));
  const Outcome global = run("access " + example("three_programs"));
  EXPECT_EQ(global.code, 2);
  EXPECT_THAT(global.output, HasSubstr("cpu: missing, expected 0 to "));
  const Outcome pinned = run("rta " + example("gcaps_fig5"));
  EXPECT_EQ(pinned.code, 2);
  EXPECT_THAT(pinned.output, HasSubstr("cpu: expected none for this analysis; sam-analyze access knows it"));
  EXPECT_EQ(run("access --slice 0ns " + example("gcaps_fig5")).code, 2);
  EXPECT_EQ(run("access --update soon " + example("gcaps_fig5")).code, 2);
  EXPECT_EQ(run("access --partition " + example("bound_devices")).code, 2);
}

}  // namespace
}  // namespace samcl::analysis
