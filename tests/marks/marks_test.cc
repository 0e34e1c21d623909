// What a program says with samcl/samcl.h arrives in the trace; without samcl it says it to nobody.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/trace_check.h"
#include "tools/trace/events.h"

namespace samcl::testing {
namespace {

using nlohmann::json;

struct MarksTest : ::testing::TestWithParam<const char*> {
  const std::string file = std::filesystem::temp_directory_path() / ("samcl-marks." + std::to_string(getpid()));
  ~MarksTest() override { std::filesystem::remove(file); }

  Outcome run(std::map<std::string, std::string> environment) const {
    environment.insert({{"POCL_DEVICES", "basic basic"}, {"SAMCL_MANAGER", "off"}, {"SAMCL_TRANSLATOR", "/bin/false"}});
    return run_program({std::string(GUESTS) + "/" + GetParam()}, environment);
  }
};

TEST_P(MarksTest, WithoutSamclTheyDoNothing) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "done\n");
}

TEST_P(MarksTest, UnderSamclWithoutATraceTheyDoNothing) {
  EXPECT_EQ(run({{"LD_PRELOAD", SAMCL}}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_P(MarksTest, InATraceTheyStandAroundTheirJobsCommands) {
  EXPECT_EQ(run({{"LD_PRELOAD", SAMCL}, {"SAMCL_TRACE", file}}).exit_code, 0);
  const std::vector<json> trace = read_trace(file);
  EXPECT_THAT(faults_of(trace), ::testing::IsEmpty());
  const auto begins = events_of(trace, 'b', "job"), ends = events_of(trace, 'e', "job");
  const auto commands = events_of(trace, 'e', "command");
  ASSERT_EQ(begins.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  ASSERT_EQ(commands.size(), 2u);
  for (size_t job = 0; job < 2; ++job) {
    EXPECT_LE(trace_events::ns_of(begins[job], "ts"), commands[job]["args"]["queued"]);
    EXPECT_LE(trace_events::ns_of(commands[job], "ts"), trace_events::ns_of(ends[job], "ts"));
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, MarksTest, ::testing::Values("two_jobs_c", "two_jobs_cpp"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace samcl::testing
