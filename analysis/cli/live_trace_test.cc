#include "analysis/cli/live_trace.h"

#include <gmock/gmock.h>

namespace samcl::analysis::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// "camera" alone on one GPU.
TaskSet one_task() {
  TaskSet set;
  set.platform = {1, 1, 1, true};
  Task camera;
  camera.name = "camera";
  camera.period = camera.deadline = 40'000'000;
  camera.priority = 1;
  camera.stages = {{Resource::gpu, {4'000'000}, {}, {1'000'000}}};
  set.tasks = {camera};
  return set;
}

// As sam-ctl trace writes it: times in us.
const std::string kTrace = R"([
{"ph":"M","name":"process_name","pid":7,"tid":0,"ts":0,"args":{"name":"./camera"}},
{"ph":"b","name":"job","pid":7,"tid":0,"ts":1000.000,"cat":"job","id":1},
{"ph":"X","name":"wait for the device","pid":7,"tid":9,"ts":1000.000,"dur":100.000,"cat":"wait"},
{"ph":"X","name":"kernel","pid":7,"tid":9,"ts":1100.000,"dur":1000.000,"cat":"resource","args":{"activity":"kernel","device":0,"command":1,"bytes":0,"pieces":3,"longest_piece":300000}},
{"ph":"X","name":"give way","pid":7,"tid":9,"ts":1300.000,"dur":200.000,"cat":"wait"},
{"ph":"X","name":"local","pid":7,"tid":9,"ts":2100.000,"dur":50.000,"cat":"resource","args":{"activity":"local","device":0,"command":2,"bytes":0,"pieces":1,"longest_piece":50000}},
{"ph":"e","name":"job","pid":7,"tid":0,"ts":3000.000,"cat":"job","id":1},
{"ph":"M","name":"samcl_program","pid":7,"tid":0,"ts":0,"args":{"task":"camera","device 0":"pocl:0"}}
])";

TEST(LiveTrace, LeasesWaitsAndJobsAreRead) {
  const auto live = read_live_schedule(kTrace, one_task(), "");
  ASSERT_TRUE(live) << live.error().message;
  ASSERT_THAT(live->programs, SizeIs(1));
  EXPECT_EQ(live->programs[0].name, "camera (7)");
  EXPECT_EQ(live->programs[0].task, 0u);
  ASSERT_THAT(live->holdings, SizeIs(2)) << "before it gave way, and after; what has no lease is left out";
  EXPECT_EQ(live->holdings[0].name, "pocl:0: device");
  EXPECT_EQ(live->holdings[0].begin, 1'100'000);
  EXPECT_EQ(live->holdings[0].end, 1'300'000);
  EXPECT_EQ(live->holdings[0].section, 200'000) << "no more than it had it";
  EXPECT_EQ(live->holdings[1].section, 600'000) << "two slices are in flight";
  ASSERT_THAT(live->waits, SizeIs(2));
  EXPECT_EQ(live->waits[0].begin, 1'300'000) << "while it gave way";
  EXPECT_EQ(live->waits[1].begin, 1'000'000);
  ASSERT_THAT(live->jobs, SizeIs(1));
  EXPECT_EQ(live->jobs[0].end - live->jobs[0].begin, 2'000'000);
}

TEST(LiveTrace, ProgramOfNoTaskOfTheSetIsNone) {
  TaskSet set = one_task();
  set.tasks[0].name = "radar";
  EXPECT_EQ(read_live_schedule(kTrace, set, "")->programs[0].task, std::nullopt);
}

TEST(LiveTrace, TaskOfOneProgramsTraceIsGiven) {
  const std::string own = kTrace.substr(0, kTrace.find(",\n{\"ph\":\"M\",\"name\":\"samcl_program\"")) + "\n]";
  const auto live = read_live_schedule(own, one_task(), "camera");
  ASSERT_TRUE(live) << live.error().message;
  EXPECT_EQ(live->programs[0].task, 0u);
  EXPECT_EQ(live->holdings[0].name, "device 0: device");
  EXPECT_THAT(read_live_schedule(own, one_task(), "radar").error().message,
              HasSubstr("--task: the task set has no task \"radar\""));
}

TEST(LiveTrace, WhatIsNoTraceIsNamed) {
  EXPECT_FALSE(read_live_schedule("{}", one_task(), ""));
  EXPECT_THAT(read_live_schedule("[\n]\n", one_task(), "").error().message,
              HasSubstr("expected a trace of `sam-ctl trace`"));
  EXPECT_THAT(read_live_schedule("[\n{\"ph\":\"X\"}\n]\n", one_task(), "").error().message,
              HasSubstr("not as expected"));
}

}  // namespace
}  // namespace samcl::analysis::cli
