#include "tools/sam-ctl/tables.h"

#include <gmock/gmock.h>

namespace samcl::ctl {
namespace {

using nlohmann::json;

TEST(Tables, TasksWithTheirDevicesAndProcesses) {
  const json list = json::parse(R"({"instance": "x", "tasks": [
      {"name": "camera", "priority": 30, "period_ns": 40000000, "deadline_ns": 35000000, "gpus": 1,
       "devices": ["0", "pocl:1"], "match": "/usr/bin/camera", "processes": [7, 9], "bound_ns": 1, "guaranteed": false,
       "building": "process 7: its first job has not ended yet"},
      {"name": "radar", "priority": -1, "period_ns": 1000, "deadline_ns": 1000, "gpus": 0,
       "devices": [], "match": "", "processes": []},
      {"name": "batch", "priority": null, "period_ns": null, "deadline_ns": null, "weight": 3, "gpus": 0,
       "devices": [], "match": "", "processes": []}]})");
  EXPECT_EQ(task_table(list),
            "TASK    PRIORITY  PERIOD  DEADLINE  GPUS  DEVICES    MATCH            GUARANTEE  PROCESSES\n"
            "camera  30        40 ms   35 ms     1     0, pocl:1  /usr/bin/camera  building   7, 9\n"
            "radar   -1        1 us    1 us      all   all        -                -          -\n"
            "batch   weight 3  -       -         all   all        -                -          -\n");
}

TEST(Tables, NoTask) { EXPECT_EQ(task_table({{"tasks", json::array()}}), "No task is registered.\n"); }

TEST(Tables, StatusShowsForHowLongALeaseIsHeld) {
  const json status = json::parse(R"({"instance": "x", "pid": 3,
      "programs": [{"pid": 7, "task": "camera", "priority": 30, "gpus": 1, "devices": ["pocl:0"],
                    "executable": "/c", "threads": 1, "jobs": 12, "longest_response_ns": 31200000,
                    "last_response_ns": 30000000, "bound_ns": 34000000, "lent_priority": 40,
                    "overruns": {"sections": 2, "early_jobs": 1, "long_jobs": 0, "longest_section_ns": 9}, "demoted": true},
                   {"pid": 8, "task": "", "priority": 0, "gpus": 0, "devices": ["pocl:1", "pocl:0"],
                    "executable": "/b\u001b[2J", "threads": 0, "jobs": 0, "longest_response_ns": 0,
                    "last_response_ns": 0, "bound_ns": null}],
      "resources": [{"device": "pocl:0", "kind": "gpu", "waiting": [{"pid": 7, "task": "camera"}],
                     "holder": {"pid": 8, "task": "", "priority": 0, "held_ns_at_least": 4999999999}},
                    {"device": "pocl:0", "kind": "link", "waiting": [],
                     "holder": {"pid": 7, "task": "camera", "priority": 30, "held_ns_at_least": 999999999}},
                    {"device": "pocl:1", "kind": "gpu", "waiting": [], "holder": null}]})");
  EXPECT_EQ(status_tables(status),
            "sam-managerd \"x\", process 3, policy fixed-priority\n\n"
            "PROCESS  TASK    PRIORITY     GPUS  DEVICES         JOBS  LONGEST  BOUND  OVERRUNS    EXECUTABLE\n"
            "7        camera  30, lent 40  1     pocl:0          12    31.2 ms  34 ms  3, demoted  /c\n"
            "8        -       0            all   pocl:1, pocl:0  0     -        -      -           /b\\x1b[2J\n\n"
            "DEVICE  RESOURCE  HELD BY     FOR  WAITING\n"
            "pocl:0  gpu       process 8   4 s  camera (7)\n"
            "pocl:0  link      camera (7)  -    -\n"
            "pocl:1  gpu       -           -    -\n");
}

TEST(Tables, StatusPromisesNothingOfATaskThatBuildsItsPrograms) {
  json status = json::parse(R"({"instance": "x", "pid": 3, "resources": [],
      "programs": [{"pid": 7, "task": "camera", "priority": 30, "gpus": 1, "devices": ["pocl:0"], "building": true,
                    "executable": "/c", "threads": 1, "jobs": 1, "longest_response_ns": 0, "bound_ns": 34000000}]})");
  EXPECT_THAT(status_tables(status), ::testing::HasSubstr("1     0        building  -"));
  status["programs"][0]["building"] = false;
  EXPECT_THAT(status_tables(status), ::testing::HasSubstr("1     0        34 ms  -"));
  status["programs"][0]["building"] = true;
  status["programs"][0]["bound_ns"] = nullptr;
  EXPECT_THAT(status_tables(status), ::testing::HasSubstr("1     0        -      -")) << "nor ever was";
}

TEST(Tables, HistoryTellsJobsInWhichProgramsWereBuiltApart) {
  const json history = json::parse(R"({"task": "camera", "jobs": 3, "misses": 0, "longest_ns": 9000000, "building": 2,
      "longest_building_ns": 41000000, "p50_ns": 9000000, "p99_ns": 9000000, "deadline_ns": 35000000,
      "buckets": [{"below_ns": 10485760, "jobs": 1}]})");
  EXPECT_EQ(
      history_table(history),
      "TASK    JOBS  MISSES  HALF BELOW  99 % BELOW  LONGEST  DEADLINE\n"
      "camera  3     0       9 ms        9 ms        9 ms     35 ms\n"
      "In 2 of the jobs, each, OpenCL programs were built: outside of the promise, and of the times above; the longest "
      "took 41 ms.\n"
      "\n"
      "BELOW    JOBS\n"
      "10.5 ms  1     ########################################\n");
}

TEST(Tables, HistoryShowsWhereTheJobsAre) {
  const json history = json::parse(R"({"task": "camera", "jobs": 100, "misses": 1, "longest_ns": 41000000,
      "p50_ns": 10485760, "p99_ns": 11534336, "deadline_ns": 35000000,
      "buckets": [{"below_ns": 10485760, "jobs": 75}, {"below_ns": 11534336, "jobs": 24},
                  {"below_ns": 41943040, "jobs": 1}]})");
  EXPECT_EQ(history_table(history),
            "TASK    JOBS  MISSES  HALF BELOW  99 % BELOW  LONGEST  DEADLINE\n"
            "camera  100   1       10.5 ms     11.5 ms     41 ms    35 ms\n"
            "\n"
            "BELOW    JOBS\n"
            "10.5 ms  75    ##############################\n"
            "11.5 ms  24    ##########\n"
            "41.9 ms  1     #\n");
  EXPECT_EQ(history_table({{"task", "x"}, {"jobs", 0}}), "No job of \"x\" was seen since the manager began.\n");
}

TEST(Tables, MissIsOneLine) {
  EXPECT_EQ(miss_line({{"task", "camera"}, {"pid", 7}, {"jobs", 2}, {"last_response_ns", 41000000}}),
            "camera (7): 2 jobs were late, the last job took 41 ms\n");
}

TEST(Tables, PlanSaysWhatTheLastChangeDid) {
  const json plan =
      json::parse(R"({"problem": "", "changing": "", "without_profile": ["logger"], "task_set": {}, "tasks": [
      {"name": "camera", "priority": 30, "mode": 2, "devices": ["pocl:0", "pocl:1"], "bound_ns": 12300000,
       "changing_ns": 35100000, "deadline_ns": 35000000, "guaranteed": true, "meets_deadline": true, "doubt": "", "estimate": "",
       "before": {"mode": 1, "bound_ns": 20000000, "guaranteed": true}},
      {"name": "radar", "priority": 20, "mode": 1, "devices": ["pocl:0"], "bound_ns": 50000000,
       "changing_ns": 50000000, "deadline_ns": 48000000, "guaranteed": false, "meets_deadline": false, "doubt": "", "estimate": "",
       "before": {"mode": 1, "bound_ns": 50000000, "guaranteed": false}},
      {"name": "sonar", "priority": 10, "mode": 1, "devices": ["pocl:1"], "bound_ns": null,
       "changing_ns": null, "deadline_ns": 48000000, "guaranteed": false, "meets_deadline": false, "doubt": "", "estimate": "", "before": null}]})");
  EXPECT_EQ(plan_table(plan),
            "TASK    PRIORITY  GPUS  DEVICES         BOUND    DEADLINE  BEFORE          VERDICT\n"
            "camera  30        2     pocl:0, pocl:1  12.3 ms  35 ms     20 ms on 1 GPU  guaranteed\n"
            "radar   20        1     pocl:0          50 ms    48 ms     the same        late by up to 2 ms\n"
            "sonar   10        1     pocl:1          -        48 ms     new             no bound\n"
            "Until all tasks have been idle at once in their new modes these may be late: camera (up to 35.1 ms)\n"
            "Without a profile, so without a bound: logger\n");
}

TEST(Tables, PlanSaysIfNothingIsKnownOfTheTimeOfChange) {
  json plan = json::parse(R"({"problem": "", "changing": "platform: another one", "without_profile": [], "tasks": [
      {"name": "camera", "priority": 30, "mode": 1, "devices": ["a"], "bound_ns": 10, "changing_ns": null,
       "deadline_ns": 20, "guaranteed": true, "meets_deadline": true, "doubt": "", "estimate": "", "before": null}]})");
  EXPECT_THAT(plan_table(plan), testing::HasSubstr("nothing is guaranteed: platform: another one\n"));
  plan["changing"] = "";
  plan["tasks"][0]["changing_ns"] = 20;
  EXPECT_THAT(plan_table(plan), testing::Not(testing::HasSubstr("Until")));
}

const json kEstimated = json::parse(R"({"name": "camera", "bound_ns": 10000000, "deadline_ns": 20000000,
    "guaranteed": false, "meets_deadline": true, "doubt": "", "estimate": "nobody measured it", "terms": [
      {"kind": "own", "of": "GPU stage 1", "ns": 7500000},
      {"kind": "hand-overs", "of": "its requests and wake-ups", "ns": 500000},
      {"kind": "interference", "of": "", "ns": 2000000}]})");

TEST(Tables, TermsAddUpToTheBound) {
  EXPECT_EQ(term_table(kEstimated),
            "TERM          OF                         TIME    SHARE\n"
            "own           GPU stage 1                7.5 ms  75 %\n"
            "hand-overs    its requests and wake-ups  500 us  5 %\n"
            "interference  -                          2 ms    20 %\n"
            "bound         camera                     10 ms   100 %\n"
            "estimated: nobody measured it\n");
  EXPECT_EQ(term_table({{"name", "x"}, {"terms", json::array()}}),
            "There is no bound on \"x\": it may take longer than its period.\n");
  EXPECT_EQ(term_table({{"name", "x"}, {"doubt", "it is one"}, {"terms", json::array()}}),
            "There is no bound on \"x\": it is one.\n");
}

TEST(Tables, ATermMayTakeSomethingOff) {
  json task = kEstimated;
  task["terms"] = json::parse(R"([{"kind": "own", "of": "GPU stage 1", "ns": 13000000},
                                  {"kind": "together", "of": "its stages, in one job", "ns": -3000000}])");
  EXPECT_EQ(term_table(task),
            "TERM      OF                      TIME   SHARE\n"
            "own       GPU stage 1             13 ms  130 %\n"
            "together  its stages, in one job  -3 ms  -30 %\n"
            "bound     camera                  10 ms  100 %\n"
            "estimated: nobody measured it\n");
}

TEST(Tables, PlanThatCannotBeMadeSaysWhy) {
  const json plan = {{"problem", "task \"b\", priority: 5 is another task's too, expected distinct ones"}};
  EXPECT_EQ(plan_table(plan),
            "Nothing can be guaranteed: task \"b\", priority: 5 is another task's too, expected distinct ones.\n");
}

}  // namespace
}  // namespace samcl::ctl
