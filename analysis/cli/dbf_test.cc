// sam-analyze dbf as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

const std::string kRecurring = example("recurring");

// PROOF.md's counterexample to the published recurrence, with that period.
std::string branching(const std::string& period) {
  return "echo '{\"tasks\": [{\"name\": \"T\", \"period\": " + period + R"(, "vertices": [
    {"name": "s", "execution": 1, "deadline": 1}, {"name": "a", "execution": 100, "deadline": 40},
    {"name": "b", "execution": 10, "deadline": 1}, {"name": "z", "execution": 1, "deadline": 1}],
    "edges": [{"from": "s", "to": "a", "separation": 20}, {"from": "a", "to": "z", "separation": 78},
    {"from": "s", "to": "b", "separation": 50}, {"from": "b", "to": "z", "separation": 48}]}]}' | )";
}

Outcome run_with(const std::string& input, const std::string& arguments) {
  return run_shell(input + SAM_ANALYZE + " " + arguments);
}

TEST(SamAnalyzeDbf, FindsTheExampleSchedulable) {
  const Outcome outcome = run("dbf " + kRecurring);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("Schedulable by preemptive EDF on one processor."));
  EXPECT_THAT(outcome.output, HasSubstr("Tightest interval: 182.5 ms of demand within 230 ms, 79.35%."));
  EXPECT_THAT(run("dbf --at 50ms " + kRecurring).output, HasSubstr("dbf(50 ms) = 37.5 ms"));
}

TEST(SamAnalyzeDbf, GivesTheLeastIntervalWithTooMuchDemandAndItsWalk) {
  const Outcome outcome = run_with(branching("100"), "dbf --json -");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  const auto found = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(found.at("schedulable"), false);
  EXPECT_EQ(found.at("excess").at("t"), 1);
  EXPECT_EQ(found.at("excess").at("demand"), 10);
  EXPECT_EQ(found.at("tasks").at(0).at("walk").at("tail").at(0).at("job"), "b");
  EXPECT_EQ(found.at("tasks").at(0).at("heaviest").at("execution"), 102);
}

TEST(SamAnalyzeDbf, ShowsWhereThePublishedRecurrenceSaysMore) {
  const auto demand = [](const Outcome& outcome) {
    return nlohmann::json::parse(outcome.output).at("at").at("demand").get<int>();
  };
  EXPECT_EQ(demand(run_with(branching("100"), "dbf --json --at 101ns -")), 103);
  EXPECT_EQ(demand(run_with(branching("100"), "dbf --as-published --json --at 101ns -")), 112);
}

TEST(SamAnalyzeDbf, SaysWhereBoundsAreUpperOnesOnly) {
  const Outcome outcome = run_with(branching("90"), "dbf -");
  EXPECT_THAT(outcome.output,
              HasSubstr("Upper bounds only: task \"T\": period is 90 ns, for exact bounds at least 99"));
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("What demands most")));
  const auto task = nlohmann::json::parse(run_with(branching("90"), "dbf --json -").output).at("tasks").at(0);
  EXPECT_EQ(task.at("exact"), false);
  EXPECT_TRUE(task.at("walk").is_null());
}

TEST(SamAnalyzeDbf, NamesWhatIsWrong) {
  Outcome outcome = run_with(branching("0"), "dbf -");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("standard input: task \"T\": period: 0 ns, expected 1 to"));
  outcome = run("dbf --at 3 " + kRecurring);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--at: \"3\", expected a time such as 40ms"));
  outcome = run("dbf /no/such/file");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("/no/such/file: No such file or directory"));
}

using Curves = InFolder;

TEST_F(Curves, OfDemandsAreWritten) {
  EXPECT_EQ(run("dbf " + kRecurring + " --chart " + path("demand.json")).code, 0);
  const auto curves = nlohmann::json::parse(text("demand.json")).at("charts").at(0).at("curves");
  EXPECT_EQ(curves.at(0).at("name"), "available");
  EXPECT_EQ(curves.at(1).at("name"), "vision");
}

// Without the progress on stderr.
Outcome nunna(const std::string& arguments) {
  return run_shell("(" + std::string(SAM_ANALYZE) + " experiment nunna --json " + arguments + " 2>/dev/null)");
}

TEST(SamAnalyzeNunna, MeasuresImplementationsThatAgree) {
  const Outcome outcome = nunna("--vertices 4,8 --execution 60 --repeats 1 --opencl none");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto found = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(found.at("graphs").size(), 2);
  for (const auto& graph : found.at("graphs")) {
    EXPECT_EQ(graph.at("agree"), true);
    EXPECT_GT(graph.at("ms").at("plain"), 0);
    EXPECT_TRUE(graph.at("ms").at("opencl_local").is_null());
  }
}

TEST(SamAnalyzeNunna, GoesOnWithoutTheOpenClProgram) {
  const Outcome outcome = nunna("--vertices 4 --execution 9 --repeats 1 --opencl /no/such/program");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(nlohmann::json::parse(outcome.output).at("opencl_error").get<std::string>(),
              HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace samcl::analysis
