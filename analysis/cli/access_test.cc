// sam-analyze access as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"
#include "base/hash_text.h"

namespace samcl::analysis {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_EQ(run("access --analysis unified " + example("partitions")).code, 1) << "one part each is too little";
  const Outcome outcome = run("access --analysis unified --partition " + example("partitions"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("camera has 2 parts of the GPU."));
}

TEST(SamAnalyzeAccess, FindsTheGpuPrioritiesOfThePublishedExample) {
  const Outcome found = run("access --update 1ms --gpu-priorities " + example("gcaps_fig5"));
  EXPECT_EQ(found.code, 0) << found.output;
  EXPECT_THAT(found.output, HasSubstr("gcaps-published: on the GPU T1, T4, T3, the most urgent first."));
  EXPECT_THAT(found.output, HasSubstr("gcaps: no priorities on the GPU were found"));
  EXPECT_THAT(found.output, testing::Not(HasSubstr("mpcp")));
  const Outcome json =
      run("access --update 1ms --gpu-priorities --analysis gcaps-published --json " + example("gcaps_fig5"));
  EXPECT_EQ(nlohmann::json::parse(json.output).at("analyses").at(0).at("gpu_order").dump(), R"(["T1","T4","T3"])");
  const Outcome other = run("access --gpu-priorities --analysis mpcp " + example("gcaps_fig5"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("--gpu-priorities: with mpcp, expected gcaps or gcaps-published"));
}

TEST(SamAnalyzeAccess, BadInputIsExitCodeTwoAndNamed) {
  const Outcome shared = run("access --analysis jitter " + example("gcaps_fig5"));
  EXPECT_EQ(shared.code, 2);
  EXPECT_THAT(shared.output, HasSubstr("task \"T3\", devices: that of \"T1\" too, expected its own for jitter"));
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

using Access = InFolder;

// (C, T) = (26, 70), (62, 100): the first job takes 114, a later one 118.
TEST_F(Access, ANumberAboveTheDeadlineIsPrintedAndMarked) {
  const std::string set = written("late", R"({"platform": {"cpus": 1, "gpus": 1}, "tasks": [
    {"name": "a", "cpu": 0, "period": 70, "stages": [{"resource": "CPU", "worst": 26}]},
    {"name": "b", "cpu": 0, "period": 100, "stages": [{"resource": "CPU", "worst": 62}]}]})");
  const Outcome outcome = run("access " + set);
  EXPECT_THAT(outcome.output, ContainsRegex("\nb +0 +100 ns +114 ns \\* "));
  EXPECT_THAT(outcome.output, HasSubstr("* beyond its proof"));
  const auto task = [&](const std::string& analysis) {
    return nlohmann::json::parse(run("access --json --analysis " + analysis + " " + set).output)
        .at("analyses")[0]
        .at("tasks")[1];
  };
  EXPECT_TRUE(task("mpcp").at("response").is_null());
  EXPECT_EQ(task("mpcp").at("beyond_proof"), 114);
  EXPECT_EQ(task("oblivious").at("beyond_proof"), 118);
}

TEST_F(Access, ExperimentWritesTheSameNumbersForTheSameSeed) {
  const Outcome outcome = run("experiment access --sets 3 --threads 2 --out " + path("a"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, ContainsRegex("gcaps-published, busy +[0-9.]+ +[0-9.]+"));
  EXPECT_EQ(run("experiment access --sets 3 --threads 1 --out " + path("b")).code, 0);
  EXPECT_EQ(text("a.csv"), text("b.csv"));
  EXPECT_THAT(text("a.csv"), HasSubstr("utilisation,sets,\"gcaps\",\"gcaps, busy\""));
  EXPECT_THAT(text("a.json"), HasSubstr("\"name\": \"gcaps-published\""));
  const auto origin = nlohmann::json::parse(text("a.json")).at("origin");
  EXPECT_EQ(origin.at("what"), "access, 3 sets at each point, seed 1");
  EXPECT_EQ(run("--version").output, "sam-analyze " + origin.at("version").get<std::string>() + "\n");
  EXPECT_EQ(origin.at("hash"), hash_text(text("a.csv")));
  const Outcome other = run("experiment access --sets 3 --classes --out " + path("c"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("--classes: of another experiment, not of access"));
}

using Convert = InFolder;

TEST_F(Convert, WhatOtherToolsHaveNoPlaceForIsNamed) {
  const std::string set = written("set.json", R"({"platform": {"cpus": 1, "pci": 1, "gpus": 1}, "tasks": [
    {"name": "a", "period": "9us", "late": "1us", "early": "2us", "work": "3us", "stages": [
      {"resource": "CPU", "worst": "3us"}]},
    {"name": "b", "period": "20us", "stages": [{"resource": "CPU", "worst": "5us"}]}]})");
  for (const std::string notation : {"--mast", "--smff", "--pycpa", "--np", "--np-dag"})
    EXPECT_THAT(run("convert " + notation + " " + set).output,
                HasSubstr("sam-analyze: left out, since the notation has no place for it: work, late, early\n"))
        << notation;
  const Outcome csv = run("convert --csv " + set);
  EXPECT_THAT(csv.output, Not(HasSubstr("left out")));
  const Outcome back = run("convert " + written("back.csv", csv.output));
  EXPECT_EQ(nlohmann::json::parse(back.output), nlohmann::json::parse(run("convert " + set).output));
  EXPECT_THAT(run("convert --mast " + example("three_programs")).output, Not(HasSubstr("left out")));
}

TEST_F(Convert, ModelsOfOtherToolsComeBack) {
  const std::string set = written("set.json", R"({"platform": {"cpus": 2, "gpus": 1}, "tasks": [
    {"name": "a", "cpu": 1, "period": "9us", "jitter": "2us", "deadline": "12us", "stages": [
      {"resource": "CPU", "worst": "3us"}]},
    {"name": "b", "cpu": 0, "period": "20us", "stages": [{"resource": "CPU", "worst": "5us"}]}]})");
  for (const std::string notation : {"cheddar", "smff"}) {
    const Outcome xml = run("convert --" + notation + " " + set);
    ASSERT_EQ(xml.code, 0) << xml.output;
    const Outcome back = run("convert " + written(notation + ".xml", xml.output));
    ASSERT_EQ(back.code, 0) << back.output;
    const auto task = nlohmann::json::parse(back.output).at("tasks").at(0);
    EXPECT_EQ(task.at("name"), "a");
    EXPECT_EQ(task.at("jitter"), 2000);
    EXPECT_EQ(task.at("deadline"), 12'000);
    EXPECT_EQ(run("access --analysis oblivious " + written("back.json", back.output)).code, 0);
  }
}

TEST_F(Convert, AsCsvTheBoundsStayTheSame) {
  const std::string file = written("set.csv", run("convert --csv " + example("gcaps_fig5")).output);
  EXPECT_EQ(run("access --json --update 1ms " + file).output,
            run("access --json --update 1ms " + example("gcaps_fig5")).output);
}

TEST_F(Convert, DagTasksAreAnalysedAndComeBack) {
  const std::string rows = "T, 1, 10, 8\nV, 1, 1, 0, 0, 0, 1\nV, 1, 2, 0, 0, 0, 4.5, 1\n";
  const std::string file = written("graphs.csv", rows);
  EXPECT_EQ(run("convert " + file).code, 2) << "it says nothing of a platform";
  const Outcome json = run("convert --cpus 2 " + file);
  ASSERT_EQ(json.code, 0) << json.output;
  const std::string set = written("graphs.json", json.output);
  const Outcome bounds = run("dag --json " + set);
  EXPECT_EQ(bounds.code, 0) << bounds.output;
  EXPECT_EQ(nlohmann::json::parse(bounds.output).at("tasks").at(0).at("paths"), 5'500'000);
  EXPECT_EQ(run("convert --np-dag " + set).output, rows);
}

TEST_F(Convert, WhatAnotherToolDoesNotKnowIsNamedAndNothingIsPrinted) {
  const Outcome mast = run("convert --mast " + example("three_programs"));
  EXPECT_EQ(mast.code, 2);
  EXPECT_THAT(mast.output, HasSubstr("for MAST"));
  const Outcome jobs = run("convert --np " + example("gcaps_fig5"));
  EXPECT_EQ(jobs.code, 2);
  EXPECT_THAT(jobs.output, HasSubstr("cpu: expected none for this analysis"));
  EXPECT_EQ(run("convert --mast --pycpa " + example("three_programs")).code, 2);
}

}  // namespace
}  // namespace samcl::analysis
