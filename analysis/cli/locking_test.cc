// sam-analyze locking and compare as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"
#include "analysis/json/testing/replaced.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

const std::string kSharedGpu = example("shared_gpu");

class SamAnalyzeLocking : public InFolder {
 protected:
  // The example with something replaced.
  Outcome run_changed(const std::string& arguments, const std::string& from, const std::string& to) {
    std::ifstream in(kSharedGpu);
    std::string text(std::istreambuf_iterator<char>(in), {});
    return run(arguments + " " + written("set.json", replaced(text, from, to)));
  }
};

TEST_F(SamAnalyzeLocking, GivesEveryMethodsVerdict) {
  const Outcome outcome = run("locking " + kSharedGpu);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, testing::ContainsRegex("FMLP-Long +yes +3.833 of 4"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("container +yes +1.167 of 4"));
}

TEST_F(SamAnalyzeLocking, AsJsonHasBlockingTardinessAndEffectiveUtilisation) {
  const auto json = nlohmann::json::parse(run("locking --json --speed-up 4 " + kSharedGpu).output);
  EXPECT_EQ(json["shared_resource"]["protocols"][0]["protocol"], "fmlp-long");
  EXPECT_EQ(json["shared_resource"]["protocols"][0]["tasks"][2]["blocking"], 16'000'000);
  EXPECT_EQ(json["containers"]["tasks"][2]["container"], 1);
  EXPECT_DOUBLE_EQ(json["effective_utilisation"][0]["utilisation"], 10.0 / 30 + 5 * 17.0 / 30);
}

TEST_F(SamAnalyzeLocking, ShowsThePapersSchedules) {
  EXPECT_THAT(run("locking --schedule fmlp-long " + kSharedGpu).output, HasSubstr("the last job ends at 21 ms"));
  EXPECT_THAT(run("locking --schedule containers " + kSharedGpu).output, HasSubstr("the last job ends at 25 ms"));
}

TEST_F(SamAnalyzeLocking, LocksPartsOfAGpu) {
  const Outcome outcome = run("locking --schedule smlp " + example("gpu_parts"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, testing::ContainsRegex("SMLP +yes"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("wide +12 ms.* 8 ms +5 ms\n")) << "b FMLP-Long, b SMLP, late";
  EXPECT_THAT(run("locking --schedule smlp " + kSharedGpu).output, HasSubstr("the platform has no parts"));
}

TEST_F(SamAnalyzeLocking, SaysWhyNot) {
  const Outcome outcome = run_changed("locking", "\"cpus\": 4", "\"cpus\": 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("utilisation 3.833 with blocking is above 1 CPU"));
}

TEST_F(SamAnalyzeLocking, RefusesNonsense) {
  for (const auto& [from, to] : {std::pair{"\"cpus\": 4", "\"cpus\": 0"},
                                 {"\"2ms\"", "\"-2ms\""},
                                 {"\"2ms\"", "\"9ms\""},
                                 {"\"gpus\"", "\"gups\""},
                                 {"\"T2\"", "\"T1\""},
                                 {"}", ""}})
    for (const char* command : {"locking", "compare"}) {
      const Outcome outcome = run_changed(command, from, to);
      EXPECT_EQ(outcome.code, 2) << command << ": " << to << "\n" << outcome.output;
    }
  EXPECT_EQ(run("locking --speed-up 0.5 " + kSharedGpu).code, 2);
  EXPECT_EQ(run("locking --svg x " + kSharedGpu).code, 2) << "needs --schedule";
  const Outcome unknown = run("locking --schedule fifo " + kSharedGpu);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("--schedule: 'fifo', expected one of containers|donation|fmlp-long|omlp"));
}

TEST_F(SamAnalyzeLocking, DonationAloneMakesTheExampleWithSeveralGpusSchedulable) {
  const Outcome outcome = run("locking --json " + example("several_gpus"));
  EXPECT_EQ(outcome.code, 0);
  const auto found = nlohmann::json::parse(outcome.output);
  const auto& protocols = found["shared_resource"]["protocols"];
  for (const auto& verdict : protocols) EXPECT_EQ(verdict["schedulable"], verdict["protocol"] == "donation");
  EXPECT_EQ(protocols[2]["tasks"][0]["blocking"], 18'000'000);
  EXPECT_EQ(found["containers"]["schedulable"], false);
  EXPECT_EQ(found["suspension_aware"]["schedulable"], false);
}

TEST(SamAnalyzeCompare, PutsAllAnalysesSideBySide) {
  const Outcome outcome = run("compare --json " + kSharedGpu);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const auto analyses = nlohmann::json::parse(outcome.output)["analyses"];
  ASSERT_EQ(analyses.size(), 8);
  EXPECT_EQ(analyses[0]["analysis"], "fmlp-long");
  EXPECT_EQ(analyses[5]["analysis"], "safe");
  EXPECT_EQ(analyses[5]["schedulable"], false);
  EXPECT_EQ(analyses[5]["fails"], "T7 may miss the deadline");
  EXPECT_EQ(analyses[5]["tasks"][0]["response"], 5'000'000);
  EXPECT_TRUE(analyses[5]["tasks"][6]["response"].is_null());
  EXPECT_EQ(analyses[5]["tasks"][6]["beyond_proof"], 31'000'000);
  EXPECT_THAT(run("compare " + kSharedGpu).output, HasSubstr(" 31 ms * "));
}

// The locking example as a set with stages.
TEST_F(SamAnalyzeLocking, TaskSetsWithStagesAreReadByAll) {
  const std::string set = written("set.json", run("convert " + kSharedGpu).output);
  const auto judged = [](const std::string& file) {
    return nlohmann::json::parse(run("compare --json " + file).output);
  };
  EXPECT_EQ(judged(set), judged(kSharedGpu));
  const std::string csv = written("set.csv", run("convert --csv " + set).output);
  EXPECT_EQ(judged(csv), judged(kSharedGpu));
  EXPECT_THAT(run("dag " + csv).output, testing::ContainsRegex("T3 +30 ms +8 ms +5 ms +5 ms"));
  EXPECT_THAT(run("dbf " + set).output, HasSubstr(set + ": platform, cpus: 4, expected 1 for demand bounds"));
  EXPECT_THAT(run("locking " + example("bound_devices")).output, HasSubstr("platform, bound: expected false"));
  EXPECT_THAT(run("convert --mast " + kSharedGpu).output,
              HasSubstr("task \"T1\", cpu: missing, expected one of 4 for MAST"));
  EXPECT_THAT(run("convert " + example("gpu_parts")).output, HasSubstr("platform, parts: 4, expected none to convert"));
  EXPECT_THAT(run("convert --mast " + example("graphs")).output, HasSubstr("tasks that are graphs, expected --np-dag"));
}

TEST_F(SamAnalyzeLocking, GivesASharedGpuToSchedCatAndBack) {
  const Outcome xml = run("convert --schedcat --unit 1ms " + kSharedGpu);
  EXPECT_EQ(xml.code, 0) << xml.output;
  const std::string file = written("set.xml", xml.output);
  const Outcome back = run("convert --cpus 4 --unit 1ms " + file);
  EXPECT_EQ(back.code, 0) << back.output;
  const auto verdicts = [&](const std::string& set) {
    return nlohmann::json::parse(run("locking --json " + set).output).at("shared_resource").at("protocols").at(0);
  };
  EXPECT_EQ(verdicts(written("set.json", back.output)).at("tasks"), verdicts(kSharedGpu).at("tasks"));
  EXPECT_EQ(run("convert " + file).code, 2);
  EXPECT_EQ(run("convert --np " + example("three_programs")).code, 2);
}

}  // namespace
}  // namespace samcl::analysis
