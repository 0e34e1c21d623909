// The command as a user runs it: exit codes, and what it says about bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"

namespace samcl::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using SamAnalyze = InFolder;

TEST_F(SamAnalyze, BoundsTheExampleSafely) {
  const Outcome outcome = run("rta --json " + example("early_finish"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result.at("analysis"), "safe");
  EXPECT_EQ(result.at("tasks").at(1).at("response"), 11);
  EXPECT_EQ(result.at("tasks").at(1).at("proven"), true);
}

TEST_F(SamAnalyze, BoundsItAsPublished) {
  for (const std::string form : {"gpu-sam", "gpu-sparc"}) {
    const Outcome outcome = run("rta --json --as-published " + form + " " + example("early_finish"));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const auto result = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(result.at("analysis"), form);
    EXPECT_EQ(result.at("tasks").at(1).at("response"), 10);
    EXPECT_EQ(result.at("tasks").at(1).at("proven"), false);
  }
}

TEST_F(SamAnalyze, PrintsTablesAndCsv) {
  EXPECT_THAT(run("rta " + example("three_programs")).output, HasSubstr("Schedulable: every task meets its deadline."));
  EXPECT_THAT(run("rta --csv " + example("early_finish")).output, HasSubstr("\nP2,1,18,11,1,CPU,11,6,0,0,11,\n"));
}

TEST_F(SamAnalyze, ExplainsWhomATaskWaitsFor) {
  const Outcome outcome = run("rta --explain nearest " + example("three_programs"));
  EXPECT_THAT(outcome.output, HasSubstr("for matrix"));
  EXPECT_THAT(outcome.output, HasSubstr("before its deadline."));
}

TEST_F(SamAnalyze, NotSchedulableIsExitCodeOne) {
  const std::string set = written("set", R"({"platform": {"cpus": 1, "gpus": 1}, "tasks": [
    {"name": "a", "period": 10, "stages": [{"resource": "CPU", "worst": 6}]},
    {"name": "b", "period": 20, "deadline": 12, "stages": [{"resource": "CPU", "worst": 7}]}]})");
  const Outcome bounds = run("rta " + set);
  EXPECT_EQ(bounds.code, 1);
  EXPECT_THAT(bounds.output, HasSubstr("Not schedulable: b (by 7 ns) may miss the deadline."));
  EXPECT_EQ(run("simulate --jobs 100 " + set).code, 1);
}

TEST_F(SamAnalyze, ANumberBeyondItsProofIsShownAndMarkedBesideSimulations) {
  const std::string set = written("set", R"({"platform": {"cpus": 1, "gpus": 1}, "tasks": [
    {"name": "a", "period": 10, "stages": [{"resource": "CPU", "worst": 6}]},
    {"name": "b", "period": 18, "stages": [{"resource": "CPU", "worst": 7}]}]})");
  const Outcome text = run("simulate --jobs 100 --search 1 " + set);
  EXPECT_THAT(text.output, HasSubstr("19 ns *"));
  EXPECT_THAT(text.output, HasSubstr("* beyond its proof"));
  const auto task = nlohmann::json::parse(run("simulate --json --jobs 100 --search 1 " + set).output).at("tasks").at(1);
  EXPECT_TRUE(task.at("bound").is_null());
  EXPECT_EQ(task.at("beyond_proof"), 19);
}

TEST_F(SamAnalyze, RecurringTasksHaveNoOtherNotation) {
  const Outcome outcome = run("convert --csv " + example("recurring"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("recurring tasks, expected others"));
}

TEST_F(SamAnalyze, OutputThatCannotBeWrittenIsAnError) {
  const Outcome outcome = run_shell("{ " SAM_ANALYZE " rta " + example("three_programs") + "; } > /dev/full");
  EXPECT_EQ(outcome.code, 2);
}

TEST_F(SamAnalyze, BadInputIsExitCodeTwoAndNamed) {
  const std::string set = written("set", R"({"platform": {"cpus": 1, "gpus": 1}, "tasks": [
    {"name": "a", "period": 10, "deadline": 11, "stages": [{"resource": "CPU", "worst": 6}]}]})");
  const Outcome outcome = run("rta " + set);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr(set + ": task \"a\", deadline: 11 ns, expected 1 to the period, 10"));
  EXPECT_THAT(run("rta /tmp").output, HasSubstr("/tmp: Is a directory"));
  for (const std::string bad : {"rta /nonexistent.json", "rta", "", "nothing", "rta --as-published other x.json",
                                "simulate --jobs 0 x.json", "rta --json --csv x.json"})
    EXPECT_EQ(run(bad).code, 2) << bad;
  for (const std::string bad : {"--modes 1", "--modes 1,2,3", "--explain nobody"})
    EXPECT_EQ(run("rta " + bad + " " + example("three_programs")).code, 2) << bad;
}

TEST_F(SamAnalyze, TellsOnWhichDevicesATaskRuns) {
  const Outcome bounds = run("rta --json " + example("bound_devices"));
  EXPECT_EQ(bounds.code, 0) << bounds.output;
  const auto tasks = nlohmann::json::parse(bounds.output).at("tasks");
  EXPECT_EQ(tasks.at(0).at("devices"), (std::vector<int>{0, 1}));
  EXPECT_EQ(tasks.at(1).at("devices"), (std::vector<int>{0}));
  EXPECT_EQ(tasks.at(2).at("devices"), (std::vector<int>{1}));
  EXPECT_THAT(run("rta " + example("bound_devices")).output, HasSubstr("vision      2      0 1  "));
  EXPECT_THAT(run("rta --explain vision " + example("bound_devices")).output,
              HasSubstr("on each of devices 0 and 1; waits, on device "));
  EXPECT_THAT(run("modes " + example("bound_devices")).output, HasSubstr("DEVICES"));
  EXPECT_THAT(run("simulate --jobs 200 " + example("bound_devices")).output, HasSubstr("GPU of device 1"));
}

TEST_F(SamAnalyze, PublishedFormsKnowNoBoundDevices) {
  for (const std::string command : {"rta", "modes"}) {
    const Outcome outcome = run(command + " --as-published gpu-sam " + example("bound_devices"));
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.output, HasSubstr("platform, bound: true, expected false"));
  }
}

TEST_F(SamAnalyze, SimulatesReproducibly) {
  const std::string command = "simulate --json --jobs 500 --search 50 --seed 3 " + example("three_programs");
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto simulated = nlohmann::json::parse(outcome.output);
  for (const auto& task : simulated.at("tasks")) EXPECT_LE(task.at("longest"), task.at("bound"));
  EXPECT_EQ(run(command).output, outcome.output);
}

// GPU-SPARC, Fig. 1: J3 is late on one GPU, and ends at 20 on both.
TEST_F(SamAnalyze, ShowsTheFirstFigureOfGpuSparc) {
  const Outcome one = run("simulate --at-once --modes 1,1,1 " + example("gpu_sparc_fig1"));
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(one.output, testing::ContainsRegex("J3 +1 +33 ms +30 ms +no"));
  const Outcome both = run("simulate --at-once " + example("gpu_sparc_fig1"));
  EXPECT_EQ(both.code, 0) << both.output;
  EXPECT_THAT(both.output, testing::ContainsRegex("J3 +2 +20 ms +30 ms +yes"));
}

// GPU-SPARC, Fig. 11: J2 is late unless both are on two GPUs; then both end at their deadlines.
TEST_F(SamAnalyze, ShowsTheEleventhFigureOfGpuSparc) {
  for (const std::string modes : {"1,1", "1,2"}) {
    const Outcome outcome = run("simulate --at-once --modes " + modes + " " + example("gpu_sparc_fig11"));
    EXPECT_EQ(outcome.code, 1) << modes;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("J1 .* yes"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("J2 .* no"));
  }
  const Outcome both = run("simulate --at-once " + example("gpu_sparc_fig11"));
  EXPECT_EQ(both.code, 0) << both.output;
  EXPECT_THAT(both.output, testing::ContainsRegex("J1 +2 +13 ms"));
  EXPECT_THAT(both.output, testing::ContainsRegex("J2 +2 +24 ms"));
}

TEST_F(SamAnalyze, AddsTheCpuTimeOfTransfers) {
  const std::string file = example("gpu_sparc_fig11");
  const auto response = [&](const std::string& options) {
    const auto result = nlohmann::json::parse(run("rta --json " + options + " " + file).output);
    return result.at("tasks").at(0).at("stages").at(3).at("response").get<int64_t>();
  };
  EXPECT_EQ(response("--initiation 200us,10ms") - response(""), 10 * 200'000) << "alpha = 100 / 10";
  EXPECT_EQ(run("rta --initiation 200us,x " + file).code, 2);
  EXPECT_EQ(run("rta --initiation 200us " + file).code, 2);
}

TEST_F(SamAnalyze, BoundsAllTasksTogetherNoLooser) {
  const std::string file = example("three_programs");
  const auto safe = nlohmann::json::parse(run("rta --json " + file).output).at("tasks");
  const auto found = nlohmann::json::parse(run("rta --json --together " + file).output);
  EXPECT_EQ(found.at("analysis"), "together");
  const auto& together = found.at("tasks");
  for (size_t i = 0; i < safe.size(); ++i)
    EXPECT_LE(together.at(i).at("response").get<int64_t>(), safe.at(i).at("response").get<int64_t>());
  EXPECT_EQ(run("rta --together --as-published gpu-sam " + file).code, 2);
  const Outcome bound = run("rta --together " + example("bound_devices"));
  EXPECT_THAT(bound.output, AllOf(HasSubstr("analysis: safe\n"), HasSubstr("As without --together: ")));
}

TEST_F(SamAnalyze, ShowsANumberBeyondItsProofAsWhatItIs) {
  const std::string set = written("set", R"({"platform": {"cpus": 1, "gpus": 1}, "tasks": [
    {"name": "a", "period": 10, "stages": [{"resource": "CPU", "worst": 6}]},
    {"name": "b", "period": 12, "stages": [{"resource": "CPU", "worst": 4}]},
    {"name": "c", "period": 50, "stages": [{"resource": "CPU", "worst": 3}]}]})");
  const Outcome bounds = run("rta " + set);
  EXPECT_THAT(bounds.output, HasSubstr("* beyond its proof"));
  EXPECT_THAT(bounds.output, testing::Not(HasSubstr("unbounded")));
  EXPECT_THAT(run("modes " + set).output, HasSubstr("* beyond its proof"));
  const auto tasks = nlohmann::json::parse(run("rta --json " + set).output).at("tasks");
  EXPECT_TRUE(tasks.at(2).at("response").is_null());
  EXPECT_EQ(tasks.at(2).at("beyond_proof"), 59);
  EXPECT_TRUE(tasks.at(0).at("beyond_proof").is_null());
  EXPECT_THAT(run("rta --csv " + set).output,
              AllOf(HasSubstr("\na,1,10,6,1,CPU,"), HasSubstr("\nc,1,50,,1,CPU,59,56,0,0,59,59\n")));
}

TEST_F(SamAnalyze, DrawsTheWorstJob) {
  const Outcome outcome = run("simulate --jobs 200 --svg " + path("worst.svg") + " " + example("three_programs"));
  EXPECT_THAT(outcome.output, HasSubstr("Worst job found: "));
  EXPECT_THAT(outcome.output, HasSubstr("GPU 2 "));
  EXPECT_THAT(text("worst.svg"), testing::AllOf(testing::StartsWith("<svg "), testing::EndsWith("</svg>\n")));
}

}  // namespace
}  // namespace samcl::analysis
