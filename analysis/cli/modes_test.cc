// sam-analyze modes and experiment as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

using Modes = InFolder;

constexpr const char* kOneTask = R"({"platform": {"cpus": 1, "pci": 1, "gpus": 2}, "tasks": [
  {"name": "P1", "period": 200, "deadline": DEADLINE, "stages": [{"resource": "GPU", "worst": [100, 60]}]}]})";

std::string one_task(const std::string& deadline) {
  std::string text = kOneTask;
  return text.replace(text.find("DEADLINE"), 8, deadline);
}

// In mode 2 the published form gives 60 + 60 / 2.
TEST_F(Modes, ShowsStepsAndVerdict) {
  const Outcome outcome = run("modes --as-published gpu-sam --policy gema " + written("set", one_task("95")));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("Begins with modes P1 1: max R/D 1.0526."));
  EXPECT_THAT(outcome.output, HasSubstr("1     P1       2   0.9474"));
  EXPECT_THAT(outcome.output, HasSubstr("Schedulable"));
}

TEST_F(Modes, SaysWhatWouldHelp) {
  const Outcome outcome = run("modes --as-published gpu-sam " + written("set", one_task("80")));
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("P1 (by 10 ns) may miss the deadline"));
  EXPECT_THAT(outcome.output, HasSubstr("No other modes are schedulable"));
  EXPECT_THAT(outcome.output, HasSubstr("P1 takes 89% of its times"));
}

TEST_F(Modes, AsJsonHaveTheSameNumbers) {
  const Outcome outcome = run("modes --json --as-published gpu-sam --policy gpa " + written("set", one_task("80")));
  EXPECT_EQ(outcome.code, 1);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["policy"], "gpa");
  EXPECT_EQ(json["modes"]["P1"], 2);
  EXPECT_EQ(json["max_ratio"], 90.0 / 80);
  EXPECT_EQ(json["remedy_percent"]["task"]["P1"], 89);
  EXPECT_EQ(json["bounds"]["tasks"][0]["response"], 90);
}

TEST_F(Modes, AreSavedAsATaskSetThatRtaAgreesWith) {
  const std::string saved = path("saved");
  EXPECT_EQ(run("modes --as-published gpu-sam --save " + saved + " " + written("set", one_task("95"))).code, 0);
  const Outcome rta = run("rta --as-published gpu-sam " + saved);
  EXPECT_EQ(rta.code, 0) << rta.output;
}

TEST_F(Modes, RefuseAnUnknownPolicyAndABadSet) {
  EXPECT_EQ(run("modes --policy best " + written("set", one_task("80"))).code, 2);
  const Outcome outcome = run("modes " + written("bad", one_task("300")));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("deadline"));
}

using Experiments = InFolder;

TEST_F(Experiments, WriteTheSameNumbersForTheSameSeed) {
  EXPECT_EQ(run("experiment fig9 --sets 30 --threads 2 --out " + path("a")).code, 0);
  EXPECT_EQ(run("experiment fig9 --sets 30 --threads 1 --out " + path("b")).code, 0);
  EXPECT_EQ(run("experiment fig9 --sets 30 --seed 2 --out " + path("c")).code, 0);
  EXPECT_EQ(text("a.csv"), text("b.csv"));
  EXPECT_NE(text("a.csv"), text("c.csv"));
  EXPECT_THAT(text("a.json"), HasSubstr("\"name\": \"optimal\""));
  EXPECT_FALSE(std::filesystem::exists(path("a.part")));
}

// A million sets in the first block's first class, on purpose: they show that the block was not counted
// again.
TEST_F(Experiments, GoOnFromWhatIsFinished) {
  std::string block = "0 1000000";
  for (int n = 1; n < 2 * 20 * 12; ++n) block += " 0";
  written("part.part",
          "sam-analyze fig9 gpu-sam sets 200 seed 1 P_D 0 U_G 4 share 1 classes 1 split 0\n" + block + " .\n1 5 5");
  const Outcome outcome = run("experiment fig9 --sets 200 --out " + path("part"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(text("part.csv"), HasSubstr("\nchain,0.2,10000")) << "a few more of the other blocks";
  EXPECT_THAT(text("part.csv"), testing::Not(HasSubstr("\nchain,0.2,1000000,"))) << "the line cut off is counted";
}

TEST_F(Experiments, TimeGpaOverTheNumberOfTasks) {
  const Outcome outcome = run("experiment fig11 --sets 29 --out " + path("a"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("ms for 30."));
  EXPECT_THAT(text("a.csv"), HasSubstr("\n30,1,"));
  EXPECT_THAT(text("a.json"), HasSubstr("ms of CPU time"));
}

TEST_F(Experiments, BoundsAreBelowWhatSimulationCannotDisprove) {
  const Outcome outcome = run("experiment gap --sets 5 --plans 30 --share 0.4");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  std::istringstream rows(outcome.output.substr(outcome.output.find("\n0.4 ")));
  double utilisation = 0, tasks = 0, safe = 0, together = 0, possible = 0;
  int count = 0;
  for (; rows >> utilisation >> tasks >> safe >> together >> possible; ++count) {
    EXPECT_LE(safe, together);
    EXPECT_LE(together, possible);
    EXPECT_GT(possible, 0);
  }
  EXPECT_EQ(count, 3);
}

TEST_F(Experiments, RefuseWhatBelongsToAnother) {
  written("a.part", "sam-analyze fig9 gpu-sam sets 99 seed 1 P_D 0 U_G 4 share 1 classes 1 split 0\n");
  const Outcome outcome = run("experiment fig9 --sets 20 --out " + path("a"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("of another experiment"));
  EXPECT_EQ(run("experiment fig12").code, 2);
  EXPECT_EQ(run("experiment fig9 --sets 0").code, 2);
  EXPECT_EQ(run("experiment fig9 --utilisation 1 --out " + path("b")).code, 2);
  EXPECT_EQ(run("experiment fig9 --figure 6 --out " + path("b")).code, 2);
}

}  // namespace
}  // namespace samcl::analysis
