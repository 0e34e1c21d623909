#include "tools/sam-run/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::run {
namespace {

using testing::HasSubstr;

const Parts kParts{"/s/libsamcl.so", "/s/sam-translate", "/s/links"};

Environment changes(const Options& options, const Environment& present = {}, const std::string& instance = "",
                    bool needs_links = false) {
  return environment_changes(options, kParts, present, instance, needs_links).value();
}

TEST(Environment, PreloadsUsBeforeWhatIsPreloadedAlready) {
  EXPECT_EQ(changes({}, {{"LD_PRELOAD", "/other.so"}})["LD_PRELOAD"], "/s/libsamcl.so:/other.so");
}

TEST(Environment, PreloadsUsOnceIfSamRunRunsUnderSamRun) {
  EXPECT_EQ(changes({}, {{"LD_PRELOAD", "/s/libsamcl.so:/other.so"}})["LD_PRELOAD"], "/s/libsamcl.so:/other.so");
}

TEST(Environment, SetsOnlyWhatWasAskedForAndWhatSplittingNeeds) {
  EXPECT_EQ(changes({}), (Environment{{"LD_PRELOAD", "/s/libsamcl.so"},
                                      {"SAMCL_TRANSLATOR", "/s/sam-translate"},
                                      {"PYOPENCL_NO_CACHE", "1"}}));
}

TEST(Environment, LeavesTheUsersChoiceForPyopencl) {
  EXPECT_FALSE(changes({}, {{"PYOPENCL_NO_CACHE", "0"}}).count("PYOPENCL_NO_CACHE"));
}

TEST(Environment, CarriesEveryOption) {
  Options options;
  options.devices = "0,1";
  options.gpus = 2;
  options.share = 0.25;
  options.mix = Mix::exact;
  options.survive = true;
  options.manager = Manager::off;
  options.task = "vision";
  options.report = "-";
  options.trace = "/tmp/t.json";
  options.plan = "/tmp/p.dot";
  const Environment set = changes(options);
  EXPECT_EQ(set.at("SAMCL_DEVICES"), "0,1");
  EXPECT_EQ(set.at("SAMCL_GPUS"), "2");
  EXPECT_EQ(set.at("SAMCL_MIX"), "exact");
  EXPECT_EQ(set.at("SAMCL_SURVIVE"), "on");
  EXPECT_EQ(set.at("SAMCL_SHARE"), "0.25");
  EXPECT_EQ(set.at("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"), "25");
  EXPECT_EQ(set.at("SAMCL_MANAGER"), "off");
  EXPECT_EQ(set.at("SAMCL_TASK"), "vision");
  EXPECT_EQ(set.at("SAMCL_REPORT"), "-");
  EXPECT_EQ(set.at("SAMCL_TRACE"), "/tmp/t.json");
  EXPECT_EQ(set.at("SAMCL_PLAN"), "dot:/tmp/p.dot");
}

TEST(Environment, AnEmbeddedManagerIsAnInstanceToTheProgram) {
  Options options;
  options.manager = Manager::embedded;
  const Environment set = changes(options, {}, "run.7");
  EXPECT_EQ(set.at("SAMCL_MANAGER"), "auto");
  EXPECT_EQ(set.at("SAMCL_INSTANCE"), "run.7");
}

TEST(Environment, KeepsTheUsersTranslator) {
  EXPECT_FALSE(changes({}, {{"SAMCL_TRANSLATOR", "/mine"}}).count("SAMCL_TRANSLATOR"));
}

TEST(Environment, PutsLinksInFrontOnlyWhereNeeded) {
  EXPECT_FALSE(changes({}).count("LD_LIBRARY_PATH"));
  EXPECT_EQ(changes({}, {{"LD_LIBRARY_PATH", "/a:/b"}}, "", true)["LD_LIBRARY_PATH"], "/s/links:/a:/b");
}

TEST(Environment, SaysWhichPathCannotBePreloaded) {
  const auto result = environment_changes({}, {"/my dir/libsamcl.so", "", ""}, {}, "", false);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("/my dir/libsamcl.so"));
}

}  // namespace
}  // namespace samcl::run
