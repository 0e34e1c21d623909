#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/exchange/np_jobs.h"
#include "analysis/exchange/schedcat.h"
#include "analysis/locking/testing/paper_example.h"
#include "analysis/locking/verdicts.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

std::string complaint(const Result<locking::TaskSet>& set) { return set ? "none" : set.error().message; }

TEST(SchedCat, HasWhatASuspensionObliviousAnalysisLooksAt) {
  const locking::TaskSet set = locking::paper_example();
  const auto xml = format_schedcat(set, 1);
  ASSERT_TRUE(xml) << xml.error().message;
  EXPECT_THAT(*xml, HasSubstr("<task id=\"1\" period=\"30\" wcet=\"5\"/>"));
  EXPECT_THAT(*xml, HasSubstr("wcet=\"5\"><resources><requirement res_id=\"0\" max_reads=\"0\" max_writes=\"1\""));
  const auto back = parse_schedcat(*xml, set.cpus, 1);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->tasks.size(), set.tasks.size());
  const locking::Verdicts here = analyse(set), there = analyse(*back);
  for (size_t protocol = 0; protocol < here.shared_resource.size(); ++protocol)
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      EXPECT_EQ(there.shared_resource[protocol].tasks[i].blocking, here.shared_resource[protocol].tasks[i].blocking);
      EXPECT_EQ(there.shared_resource[protocol].tasks[i].late, here.shared_resource[protocol].tasks[i].late);
    }
}

TEST(SchedCat, IsReadWithItsUnitAndWithWhatElseItMayHave) {
  const auto set = parse_schedcat(
      "<?xml version='1.0'?>\n<taskset><properties utilization='0.5'/><!-- <task> -->\n"
      "<task id='7' period='30' wcet='5' deadline='30' partition='0'><resources>\n"
      "<requirement res_id='3' max_writes='1' max_write_length='2' /></resources></task></taskset>",
      2, 1000);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->tasks[0].name, "T7");
  EXPECT_EQ(set->tasks[0].period, 30'000);
  EXPECT_EQ(set->tasks[0].execution(), 5'000);
  EXPECT_EQ(set->tasks[0].section, 2'000);
  EXPECT_THAT(format_schedcat(*set, 7).error().message, HasSubstr("expected a smaller unit"));
}

TEST(SchedCat, WhatOurModelDoesNotHaveIsNamed) {
  const auto read = [](const std::string& attributes, const std::string& requirement) {
    return complaint(parse_schedcat(
        "<taskset>\n<task period='30' " + attributes + "><requirement " + requirement + "/></task></taskset>", 2, 1));
  };
  EXPECT_EQ(read("wcet='5'", "max_write_length='4'"), "none");
  EXPECT_EQ(read("wcet='5' deadline='20'", ""), "line 2, <task>, deadline: expected the period, 30");
  EXPECT_EQ(read("wcet='x'", ""), "line 2, <task>, wcet: 'x', expected a whole number");
  EXPECT_EQ(read("", ""), "line 2, <task>, wcet: missing");
  EXPECT_THAT(read("wcet='5'", "max_reads='1'"), HasSubstr("max_reads: expected 0"));
  EXPECT_THAT(read("wcet='5'", "max_writes='2'"), HasSubstr("max_writes: expected 1"));
  EXPECT_THAT(read("wcet='5'", "max_write_length='6'"), HasSubstr("longer than the task's wcet"));
  locking::TaskSet parts = locking::paper_example();
  parts.parts = 4;
  EXPECT_EQ(format_schedcat(parts, 1).error().message, "platform, parts: 4, expected none for SchedCAT");
  EXPECT_THAT(complaint(parse_schedcat("<taskset", 1, 1)), HasSubstr("'<' without its end"));
  EXPECT_THAT(complaint(parse_schedcat("{}", 1, 1)), HasSubstr("no <task>"));
}

TEST(NpJobs, AreThoseOfAHyperperiod) {
  TaskSet set;
  set.tasks = {{"slow", 6, 5, {}, {{Resource::gpu, {2}, {1}}}}, {"fast", 4, 4, {}, {{Resource::gpu, {1}, {}}}}};
  const Modes modes = {1, 1};
  const auto csv = format_np_jobs(set, modes);
  ASSERT_TRUE(csv) << csv.error().message;
  EXPECT_EQ(*csv,
            "Task ID,Job ID,Release min,Release max,Cost min,Cost max,Deadline,Priority\n"
            "1,1,0,0,1,2,5,2\n1,2,6,6,1,2,11,2\n2,3,0,0,0,1,4,1\n2,4,4,4,0,1,8,1\n2,5,8,8,0,1,12,1\n");
  set.tasks[0].stages[0].section = {1};
  EXPECT_THAT(format_np_jobs(set, modes).error().message, HasSubstr("never cut"));
  set.tasks[0].stages[0].section = {0};
  set.tasks[1].stages[0].resource = Resource::link;
  EXPECT_THAT(format_np_jobs(set, modes).error().message, HasSubstr("resource: expected that of the first task"));
  set.tasks[1].stages = {{Resource::gpu, {1}, {}}, {Resource::gpu, {1}, {}}};
  EXPECT_THAT(format_np_jobs(set, modes).error().message, HasSubstr("stages: expected one"));
}

TEST(NpJobs, ComeBackAsTheTasksThatReleaseThem) {
  TaskSet set;
  set.platform.gpus = 2;
  set.tasks = {{"slow", 12, 5, 1, {{Resource::gpu, {2, 2}, {1, 1}}}}, {"fast", 4, 4, 2, {{Resource::gpu, {1, 1}, {}}}}};
  const auto csv = format_np_jobs(set, Modes{1, 1});
  ASSERT_TRUE(csv) << csv.error().message;
  EXPECT_TRUE(is_np_jobs(*csv));
  const auto back = parse_np_jobs(*csv, 2);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->tasks[0].name, "task 1");
  EXPECT_EQ(back->tasks[0].period, 12) << "one job: the hyperperiod";
  EXPECT_EQ(back->tasks[1].period, 4);
  EXPECT_EQ(*format_np_jobs(*back, Modes{1, 1}), *csv);
}

TEST(NpJobs, WhatOurModelDoesNotHaveIsNamed) {
  const auto complaint = [](const std::string& jobs) {
    const auto set =
        parse_np_jobs("Task ID,Job ID,Release min,Release max,Cost min,Cost max,Deadline,Priority\n" + jobs, 1);
    return set ? "none" : set.error().message;
  };
  EXPECT_EQ(complaint("1, 1, 0, 0, 1, 2, 10, 10\n1, 2, 10, 10, 1, 2, 20, 10\n"), "none");
  EXPECT_EQ(complaint("1,1,0,3,1,2,10,1\n"), "line 2, Release max: 3, expected 0: releases without jitter");
  EXPECT_EQ(complaint("1,1,0,0,1,2,10,1\n1,2,10,10,1,2,20,2\n"),
            "line 3, Priority: 2, expected 1 as of the task's others: fixed priorities");
  EXPECT_EQ(complaint("1,1,0,0,1,2,10,1\n1,2,10,10,1,2,19,1\n"),
            "line 3, Deadline: 19, expected 20, as far behind the release as of the task's others");
  EXPECT_EQ(complaint("1,1,0,0,1,2,10,1\n2,2,0,0,1,2,10,1\n"),
            "line 2, Priority: 1, expected another one for each task");
  EXPECT_EQ(complaint("1,1,0,0,1,2,10\n"), "line 2: expected 8 columns, Task ID to Priority");
  EXPECT_EQ(complaint("1,1,0,0,x,2,10,1\n"), "line 2, Cost min: 'x', expected a whole number from 0 to 35184372088832");
}

}  // namespace
}  // namespace samcl::analysis
