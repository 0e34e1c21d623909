// The command as a user runs it, on a benchmark program: its task is one that sam-analyze takes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/process/child.h"

namespace samcl::profile {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

struct SamProfile : ::testing::Test {
  const fs::path folder = fs::path(::testing::TempDir()) / ("sam_profile." + std::to_string(getpid()));
  const std::string out = folder / "out";
  SamProfile() { fs::create_directory(folder); }
  ~SamProfile() override { fs::remove_all(folder); }

  process::Ending profile(std::vector<std::string> words) const {
    words.insert(words.begin(), {SAM_PROFILE, "--out", out});
    // PoCL's devices have one memory, and no links; staged, they go the way that GPUs take.
    return process::run(words, {{"POCL_DEVICES", "basic basic"}, {"SAMCL_TRANSPORT", "staged"}}, 100).value();
  }
};

TEST_F(SamProfile, ItsTaskIsOneThatSamAnalyzeTakes) {
  const auto profiled = profile({"--modes", "1,2", "--name", "add", "--period", "1s", "--", VECTOR_ADD, "--size",
                                 "50000", "--warmup", "0", "--iterations", "12"});
  ASSERT_EQ(profiled.exit_code, 0) << profiled.err;
  EXPECT_THAT(profiled.out, HasSubstr("2 GPUs: a job takes"));
  EXPECT_THAT(profiled.out, HasSubstr("sam-ctl register add --priority P --profile " + out + ".task.json"));
  const json measured = json::parse(std::ifstream(out + ".profile.json"));
  ASSERT_EQ(measured.at("modes").size(), 2u);
  for (const json& mode : measured.at("modes")) {
    EXPECT_EQ(mode.at("boundaries"), "pattern");
    EXPECT_EQ(mode.at("jobs"), 11) << "without the first";
    EXPECT_EQ(mode.at("managed"), true);
  }
  const json task = json::parse(std::ifstream(out + ".task.json")).at("tasks").at(0);
  EXPECT_EQ(task.at("name"), "add");
  std::vector<std::string> resources;
  for (const json& stage : task.at("stages"))
    if (stage.at("resource") != "CPU") resources.push_back(stage.at("resource"));
  EXPECT_THAT(resources, ::testing::ElementsAre("PCI", "GPU", "PCI"));
  const auto analysed = process::run({SAM_ANALYZE, "rta", out + ".task.json"}, {}, 60).value();
  EXPECT_EQ(analysed.exit_code, 0) << analysed.out << analysed.err;
}

TEST_F(SamProfile, ItsTaskTellsHowTransfersWereTimed) {
  const auto links_with = [&](const std::vector<std::string>& options) -> json {
    std::vector<std::string> words = {"--modes", "1"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", VECTOR_ADD, "--size", "50000", "--warmup", "0", "--iterations", "12"});
    const auto profiled = profile(words);
    EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
    return json::parse(std::ifstream(out + ".task.json")).at("tasks").at(0).value("links", json());
  };
  EXPECT_EQ(links_with({}), json());
  EXPECT_EQ(links_with({"--busy-links"}), "busy");
  EXPECT_EQ(links_with({"--link-factor", "135"}), 135);
  EXPECT_EQ(links_with({"--busy-links", "--devices", "0"}), json()) << "the other device's link was idle";
  EXPECT_EQ(profile({"--busy-links", "--link-factor", "135", "--", VECTOR_ADD}).exit_code, 2);
}

TEST_F(SamProfile, RehearsesInEachModeIfAsked) {
  const std::string runs = folder / "runs";
  const auto runs_with = [&](const std::vector<std::string>& options) {
    fs::remove(runs);
    std::vector<std::string> words = {"--modes", "1,2"};
    words.insert(words.end(), options.begin(), options.end());
    const std::string add = std::string(VECTOR_ADD) + " --size 50000 --warmup 0 --iterations 12";
    // Of every run it tells whether it is the one that is measured.
    words.insert(words.end(), {"--", "/bin/sh", "-c", "echo ${SAMCL_TRACE:+measured} >> " + runs + "; exec " + add});
    const auto profiled = profile(words);
    EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
    std::ifstream text(runs);
    return std::string(std::istreambuf_iterator<char>(text), {});
  };
  EXPECT_EQ(runs_with({}), "measured\nmeasured\n");
  EXPECT_EQ(runs_with({"--rehearse"}), "\nmeasured\n\nmeasured\n");
}

TEST_F(SamProfile, AProgramThatFailsIsAnErrorWithWhatItSaid) {
  const auto profiled = profile({"--modes", "1", "--", VECTOR_ADD, "--size", "100", "--flip-byte", "3"});
  EXPECT_EQ(profiled.exit_code, 2);
  EXPECT_THAT(profiled.err, HasSubstr("the program ended with exit code 1 on 1 GPUs"));
  EXPECT_THAT(profiled.err, HasSubstr("wrong: element 0"));
}

TEST_F(SamProfile, WrongUseIsExitCodeTwo) {
  EXPECT_EQ(profile({}).exit_code, 2);
  EXPECT_EQ(profile({"--modes", "0", "--", "/bin/true"}).exit_code, 2);
  EXPECT_EQ(profile({"--period", "40", "--modes", "1", "--", "/bin/true"}).exit_code, 2);
  const auto nothing = profile({"--modes", "1", "--", "/bin/true"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("used no OpenCL"));
}

}  // namespace
}  // namespace samcl::profile
