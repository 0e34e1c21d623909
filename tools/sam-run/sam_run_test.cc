// sam-run as a user meets it: what it gives the program, and what it says of bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "tests/support/run_program.h"
#include "tools/sam-run/embedded_manager.h"
#include "tools/sam-run/program.h"

namespace samcl::run {
namespace {

namespace fs = std::filesystem;
using samcl::testing::line_after;
using samcl::testing::Outcome;
using samcl::testing::run_program;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kSamRun = SAM_RUN;
// A sanitized libsamcl.so cannot be preloaded into system programs.
const bool kSanitized = *SANITIZE != '\0';

Outcome sam_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kSamRun);
  return run_program(arguments, {{"POCL_DEVICES", "basic basic"}, {"SAMCL_DEVICES", ""}, {"LD_PRELOAD", ""}});
}

class SamRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sam_run_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text, mode_t mode) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  fs::path folder_;
};

TEST_F(SamRun, PassesArgumentsAndEnvironmentToTheProgram) {
  if (kSanitized) GTEST_SKIP();
  const Outcome outcome = sam_run({"--devices", "1,0", "--gpus", "2", "--task", "vision", "--manager", "off",
                                   "--report=" + (folder_ / "r.json").string(), "--", "sh", "-c",
                                   "env; echo \"args=$*\"", "name", "a b", "--gpus"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(line_after(outcome.out, "LD_PRELOAD="), EndsWith("/libsamcl.so"));
  EXPECT_EQ(line_after(outcome.out, "SAMCL_DEVICES="), "1,0");
  EXPECT_EQ(line_after(outcome.out, "SAMCL_GPUS="), "2");
  EXPECT_EQ(line_after(outcome.out, "SAMCL_TASK="), "vision");
  EXPECT_EQ(line_after(outcome.out, "SAMCL_MANAGER="), "off");
  EXPECT_EQ(line_after(outcome.out, "SAMCL_REPORT="), (folder_ / "r.json").string());
  EXPECT_EQ(line_after(outcome.out, "args="), "a b --gpus");
}

TEST_F(SamRun, BecomesTheProgram) {
  if (kSanitized) GTEST_SKIP();
  EXPECT_EQ(sam_run({"--", "sh", "-c", "exit 42"}).exit_code, 42);
  EXPECT_EQ(sam_run({"--", "sh", "-c", "kill -TERM $$"}).exit_code, 128 + SIGTERM);
  const std::string script = file("no_interpreter_line", "echo ran $1\n", 0755);
  EXPECT_EQ(sam_run({"--", script, "x"}).out, "ran x\n");
}

TEST_F(SamRun, KeepsOtherPreloads) {
  if (kSanitized) GTEST_SKIP();
  const Outcome outcome = run_program({kSamRun, "--", "sh", "-c", "echo $LD_PRELOAD"}, {{"LD_PRELOAD", "libm.so.6"}});
  EXPECT_THAT(outcome.out, EndsWith("/libsamcl.so:libm.so.6\n"));
}

TEST_F(SamRun, SaysWhichDeviceIsUnknownAndWhichExist) {
  const Outcome outcome = sam_run({"--devices", "0,9", "--", "true"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, StartsWith("sam-run: --devices: no device '9'"));
  EXPECT_THAT(outcome.err, HasSubstr("  1  0.1  basic"));
}

TEST_F(SamRun, RefusesMoreGpusThanThereAre) {
  EXPECT_THAT(sam_run({"--gpus", "3", "--", "true"}).err, HasSubstr("--gpus 3: only 2 devices are chosen"));
  EXPECT_THAT(sam_run({"--devices", "1", "--gpus", "2", "--", "true"}).err, HasSubstr("only 1 device is chosen"));
}

TEST_F(SamRun, GivesAShareOfTheUnitsWhereTheDriverDividesADevice) {
  if (kSanitized) GTEST_SKIP();
  const unsigned units = std::thread::hardware_concurrency();
  if (units < 2) GTEST_SKIP() << "a device of one unit has no part";
  const Outcome outcome =
      run_program({kSamRun, "--share", "50%", "--", "clinfo"}, {{"POCL_DEVICES", "pthread"}, {"LD_PRELOAD", ""}});
  EXPECT_THAT(outcome.err,
              HasSubstr(": " + std::to_string(units / 2) + " of " + std::to_string(units) + " compute units\n"));
  std::smatch told;
  ASSERT_TRUE(std::regex_search(outcome.out, told, std::regex("Max compute units +(\\d+)")));
  EXPECT_EQ(told[1], std::to_string(units / 2));
  EXPECT_THAT(outcome.out, HasSubstr("Number of devices                                 1\n"));
}

TEST_F(SamRun, ADeviceThatCannotBeDividedIsSharedInSlices) {
  const Outcome off = sam_run({"--share", "0.5", "--manager", "off", "--", "true"});
  EXPECT_EQ(off.exit_code, 2);
  EXPECT_THAT(off.err, HasSubstr("is shared in slices, which needs a manager"));
  if (kSanitized) GTEST_SKIP();
  const Outcome outcome =
      sam_run({"--share", "0.5", "--manager", "required", "--", "sh", "-c", "echo $SAMCL_SHARE $SAMCL_MANAGER"});
  EXPECT_THAT(outcome.err, HasSubstr(": in slices of time\n"));
  EXPECT_EQ(outcome.out, "0.5 required\n");
}

TEST_F(SamRun, NamesTheClustersServerThatDoesNotAnswer) {
  const std::string cluster = file("cluster", "vendors /none\nserver 127.0.0.1:1 devices 1\n", 0644);
  const Outcome outcome = sam_run({"--cluster", cluster, "--", "true"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "sam-run: --cluster: the server at 127.0.0.1:1 does not answer; see `sam-cluster status`\n");
  EXPECT_THAT(sam_run({"--cluster", "/no/such/cluster", "--", "true"}).err,
              StartsWith("sam-run: --cluster: cannot read /no/such/cluster"));
}

TEST_F(SamRun, SaysThatThereIsNoOpenCL) {
  const Outcome outcome = run_program({kSamRun, "--devices", "0", "--", "true"}, {{"SAMCL_OPENCL", "/nonexistent"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no OpenCL device here"));
}

TEST_F(SamRun, SaysWhyAProgramCannotBeRun) {
  EXPECT_EQ(sam_run({"--", "/no/such/program"}).err, "sam-run: there is no program /no/such/program\n");
  EXPECT_EQ(sam_run({"--", "no-such-program"}).exit_code, 127);
  EXPECT_THAT(sam_run({"--", "/tmp"}).err, HasSubstr("/tmp is a directory, not a program"));
  const std::string plain = file("plain", "text", 0644);
  EXPECT_THAT(sam_run({"--", plain}).err, HasSubstr(plain + " is not executable"));
}

TEST_F(SamRun, HelpGoesToStdout) {
  const Outcome outcome = sam_run({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("sam-run [OPTIONS] -- PROGRAM"));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(SamRun, WrongUseSaysSoAndRunsNothing) {
  const Outcome outcome = sam_run({"--gpu", "1", "--", "echo", "ran"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("unknown option '--gpu'"));
}

TEST_F(SamRun, WithoutADaemonEmbeddedIsAnErrorThatNamesIt) {
  const auto started = start_embedded_manager("/no/such/sam-managerd");
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("/no/such/sam-managerd"));
}

TEST_F(SamRun, ADaemonThatEndsIsAnError) {
  EXPECT_THAT(start_embedded_manager(file("ends", "#!/bin/sh\nexit 1\n", 0755)).error().message,
              HasSubstr("ended before it was ready"));
}

// The program that we become may wait for all its children.
TEST_F(SamRun, ADaemonIsNobodysChild) {
  const std::string daemon =
      file("lives", "#!/bin/sh\necho $$ > \"$0.pid\"\necho >&3\nexec 3>&-\nexec sleep 60\n", 0755);
  ASSERT_TRUE(start_embedded_manager(daemon));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  int pid = 0;
  std::ifstream(daemon + ".pid") >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_NE(getpgid(pid), getpgid(0));
  EXPECT_EQ(kill(pid, SIGKILL), 0) << "it lives";
}

// In a container the program is the first process, to which all orphans fall.
TEST_F(SamRun, ADaemonOfAReaperIsNotFoundByItsWait) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::string daemon =
      file("lives", "#!/bin/sh\necho $$ > \"$0.pid\"\necho >&3\nexec 3>&-\nexec sleep 60\n", 0755);
  ASSERT_TRUE(start_embedded_manager(daemon));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  int pid = 0;
  std::ifstream(daemon + ".pid") >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_EQ(kill(pid, SIGKILL), 0) << "it lives";
  EXPECT_GT(waitpid(-1, nullptr, __WCLONE), 0) << "what stands between ends with it";
}

TEST_F(SamRun, ADaemonIsAskedToEndWithUs) {
  const std::string daemon = file("daemon", "#!/bin/sh\necho \"$*\" > \"$0.arguments\"\necho >&3\n", 0755);
  const auto started = start_embedded_manager(daemon);
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_EQ(*started, "run." + std::to_string(getpid()));
  std::string arguments;
  std::getline(std::ifstream(daemon + ".arguments"), arguments);
  EXPECT_EQ(arguments,
            "--foreground --instance " + *started + " --exit-with " + std::to_string(getpid()) + " --ready-fd 3");
}

TEST_F(SamRun, KnowsWhatCannotBePreloaded) {
  EXPECT_TRUE(preload_obstacles("/bin/sh").empty());
  EXPECT_TRUE(preload_obstacles(file("script", "#!/bin/sh\ntrue\n", 0755)).empty());
  // A 64-bit ELF header without a program header that names an interpreter.
  std::string elf(64, '\0');
  elf.replace(0, 5,
              std::string("\x7f"
                          "ELF\x02",
                          5));
  EXPECT_THAT(preload_obstacles(file("static", elf, 0755)).at(0), HasSubstr("linked statically"));
  elf[4] = 1;
  EXPECT_THAT(preload_obstacles(file("narrow", elf, 0755)).at(0), HasSubstr("32 bits"));
}

}  // namespace
}  // namespace samcl::run
