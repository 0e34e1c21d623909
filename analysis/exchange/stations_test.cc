// Cheddar, MAST and pyCPA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/exchange/cheddar.h"
#include "analysis/exchange/mast.h"
#include "analysis/exchange/pycpa.h"
#include "analysis/json/testing/replaced.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Stage stage(Resource resource, Time worst) {
  Stage stage;
  stage.resource = resource;
  stage.worst = {worst};
  return stage;
}

// Two CPUs, a link and a GPU.
TaskSet pipelines() {
  TaskSet set;
  set.platform.cpus = 2;
  for (const auto& [name, period, cpu] : {std::tuple{"slow", 100, 1}, {"fast", 50, 0}}) {
    Task& task = set.tasks.emplace_back();
    task.name = name;
    task.period = task.deadline = period;
    task.cpu = cpu;
    task.stages = {stage(Resource::cpu, 3), stage(Resource::link, 4), stage(Resource::gpu, 5)};
    task.stages[0].best = {2};
  }
  return set;
}

TaskSet computing() {
  TaskSet set = pipelines();
  for (Task& task : set.tasks) task.stages.resize(1);
  set.tasks[0].jitter = 2;
  set.tasks[0].offset = 6;
  set.tasks[0].deadline = 120;
  return set;
}

const Modes kOnes = {1, 1};

TEST(PyCpa, HasAStationForEachElementAndTheMostUrgentFirst) {
  const auto text = format_pycpa(pipelines(), kOnes);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text,
              HasSubstr("\"CPU_1\": system.bind_resource(model.Resource(\"CPU_1\", schedulers.SPPScheduler())),"));
  EXPECT_THAT(*text,
              HasSubstr("\"GPU_0\": system.bind_resource(model.Resource(\"GPU_0\", schedulers.SPNPScheduler())),"));
  EXPECT_THAT(*text, HasSubstr("(\"fast\", 50, 0, 50, 1, [(\"CPU_0\", 2, 3), (\"PCI_0\", 0, 4), (\"GPU_0\", 0, 5)]),"));
}

TEST(Mast, IsATransactionForEachTaskAndServersThatNothingPreemptsOnLinks) {
  const auto text = format_mast(pipelines(), kOnes);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("Name => CPU_1_scheduler,\n   Host => CPU_1,\n   Policy => (Type => Fixed_Priority, "
                               "Max_Priority => 2, Min_Priority => 1));"));
  EXPECT_THAT(*text,
              HasSubstr("Name => fast_2_server,\n   Server_Sched_Parameters => (Type => Non_Preemptible_FP_Policy, "
                        "The_Priority => 2, Preassigned => Yes),\n   Scheduler => PCI_0_scheduler);"));
  EXPECT_THAT(*text, HasSubstr("Worst_Case_Execution_Time => 3,\n   Best_Case_Execution_Time => 2);"));
  EXPECT_THAT(*text, HasSubstr("(Type => Activity, Input_Event => slow_1_end, Output_Event => slow_2_end,"));
  EXPECT_THAT(*text, HasSubstr("Deadline => 100, Referenced_Event => slow_arrival)"));
  TaskSet set = pipelines();
  set.tasks[0].name = "two words";
  EXPECT_THAT(format_mast(set, kOnes).error().message, HasSubstr("task \"two words\", name: expected letters"));
}

TEST(Mast, ComesBackAsItWas) {
  TaskSet set = pipelines();
  set.tasks[0].jitter = 2;
  set.tasks[0].offset = 6;
  set.tasks[1].deadline = 40;
  const auto text = format_mast(set, kOnes);
  ASSERT_TRUE(text) << text.error().message;
  const auto back = parse_mast("-- a comment\n" + *text, 1000);  // the text says that it is in nanoseconds
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(parse_mast(replaced(*text, kMastNanoseconds, ""), 1000)->tasks[1].deadline, 40'000);
  ASSERT_EQ(back->tasks.size(), 2);
  EXPECT_EQ(back->platform.cpus, 2);
  EXPECT_FALSE(back->platform.bound);
  EXPECT_THAT(priority_order(*back), ElementsAre(1, 0));
  EXPECT_EQ(back->tasks[0].name, "slow");
  EXPECT_EQ(back->tasks[0].jitter, 2);
  EXPECT_EQ(back->tasks[0].offset, 6);
  EXPECT_EQ(back->tasks[1].deadline, 40);
  ASSERT_EQ(back->tasks[1].stages.size(), 3);
  EXPECT_EQ(back->tasks[1].stages[0].best_in(1), 2);
  EXPECT_EQ(back->tasks[1].stages[1].resource, Resource::link);
  EXPECT_EQ(back->tasks[1].stages[2].resource, Resource::gpu);
  EXPECT_EQ(back->tasks[1].stages[2].worst_in(1), 5);
}

TEST(Mast, WhatOurModelDoesNotHaveIsNamed) {
  const std::string good = *format_mast(pipelines(), kOnes);
  const auto complaint = [&](const std::string& from, const std::string& to) {
    const auto set = parse_mast(replaced(good, from, to), 1);
    return set ? "none" : set.error().message;
  };
  EXPECT_EQ(complaint("Type => Simple", "Type => Composite"), "line 43, operation: type 'composite', expected Simple");
  EXPECT_THAT(complaint("Type => Periodic", "Type => Bursty"), HasSubstr("expected Periodic or Sporadic"));
  EXPECT_THAT(complaint("Type => Activity", "Type => Multicast"), HasSubstr("type 'multicast', expected Activity"));
  EXPECT_THAT(complaint("Non_Preemptible_FP_Policy", "EDF_Policy"), HasSubstr("type 'edf_policy', expected"));
  EXPECT_THAT(complaint("Worst_Case_Execution_Time => 3", "Worst_Case_Execution_Time => 0.5"),
              HasSubstr("worst_case_execution_time: '0.5', expected a number that is whole in nanoseconds"));
  EXPECT_THAT(complaint("Name => CPU_1);", "Name => CPU_1;"), HasSubstr("';', expected ')'"));
  EXPECT_EQ(parse_mast("", 1).error().message, "no Transaction, expected a MAST model");
  EXPECT_EQ(parse_mast("Shared_Resource (Name => x);", 1).error().message,
            "line 1, shared_resource: expected none, it is not in this model");
}

TEST(Stations, WhatOtherToolsCannotExpressIsNamed) {
  const auto complaint = [](auto change, const Modes& modes = kOnes) {
    TaskSet set = pipelines();
    change(set);
    const auto text = format_mast(set, modes);
    return text ? "none" : text.error().message;
  };
  EXPECT_EQ(complaint([](TaskSet&) {}), "none");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[0].stages[1].section = 2; }),
            "task \"slow\", stage 2 (PCI), section: expected none for MAST, where nothing is cut");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[0].stages[1].requests = 2; }),
            "task \"slow\", stage 2 (PCI), requests: expected 1 for MAST");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[0].stages[2].host = {1}; }),
            "task \"slow\", stage 3 (GPU), host: expected none for MAST");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[1].busy_waits = true; }),
            "task \"fast\", busy_waits: true, expected false for MAST");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[1].cpu = {}; }),
            "task \"fast\", cpu: missing, expected one of 2 for MAST");
  EXPECT_EQ(complaint([](TaskSet& set) { set.platform.gpus = 2; }),
            "platform, bound: false, expected true or one link and one GPU for MAST");
  EXPECT_EQ(complaint([](TaskSet&) {}, {1, 2}), "task \"fast\", mode: 2, expected 1 for MAST");
  TaskSet set = pipelines();
  set.tasks[0].offset = 1;
  EXPECT_EQ(format_pycpa(set, kOnes).error().message, "task \"slow\", offset: expected none for pyCPA");
}

TEST(Cheddar, ComesBackAsItWas) {
  const TaskSet set = computing();
  const auto xml = format_cheddar(set, kOnes, 1);
  ASSERT_TRUE(xml) << xml.error().message;
  const auto back = parse_cheddar(*xml, 1);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->tasks.size(), 2);
  EXPECT_EQ(back->platform.cpus, 2);
  EXPECT_THAT(priority_order(*back), ElementsAre(1, 0));
  EXPECT_EQ(back->tasks[0].name, "slow");
  EXPECT_EQ(back->tasks[0].jitter, 2);
  EXPECT_EQ(back->tasks[0].offset, 6);
  EXPECT_EQ(back->tasks[0].deadline, 120);
  EXPECT_EQ(back->tasks[0].stages[0].worst[0], 3);
  EXPECT_NE(back->tasks[0].cpu, back->tasks[1].cpu);
  EXPECT_THAT(format_cheddar(set, kOnes, 2).error().message, HasSubstr("task \"slow\": times are no whole numbers"));
  EXPECT_EQ(format_cheddar(pipelines(), kOnes, 1).error().message,
            "PCI_0: in use, expected CPU stages alone for Cheddar");
}

std::string model(const std::string& scheduler, const std::string& more = "") {
  return "<cheddar><core_units><core_unit id=\"a\">\n<scheduler_type>" + scheduler +
         "</scheduler_type>\n<preemptive_type>PREEMPTIVE</preemptive_type></core_unit></core_units>\n"
         "<tasks><periodic_task id=\"b\">\n<name>one</name><cpu_name>p</cpu_name><capacity>2</capacity>"
         "<priority>1</priority><period>9</period><deadline>9</deadline></periodic_task>\n"
         "<periodic_task id=\"c\"><name>two &amp; more</name><cpu_name>p</cpu_name><capacity>1</capacity>"
         "<priority>5</priority><period>20</period><deadline>5</deadline>" +
         more + "</periodic_task></tasks></cheddar>";
}

TEST(Cheddar, PrioritiesAreTheSchedulersOrTheFiles) {
  const auto order = [](const std::string& scheduler) {
    const auto set = parse_cheddar(model(scheduler), 1000);
    EXPECT_TRUE(set) << set.error().message;
    return priority_order(*set);
  };
  EXPECT_THAT(order("RATE_MONOTONIC_PROTOCOL"), ElementsAre(0, 1));
  EXPECT_THAT(order("DEADLINE_MONOTONIC_PROTOCOL"), ElementsAre(1, 0));
  EXPECT_THAT(order("POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL"), ElementsAre(1, 0));
  const auto set = parse_cheddar(model("RATE_MONOTONIC_PROTOCOL"), 1000);
  EXPECT_EQ(set->tasks[1].name, "two & more");
  EXPECT_EQ(set->tasks[1].period, 20'000);
}

TEST(Cheddar, WhatOurModelDoesNotHaveIsNamed) {
  const auto complaint = [](const std::string& text) {
    const auto set = parse_cheddar(text, 1);
    return set ? "none" : set.error().message;
  };
  EXPECT_EQ(complaint(model("EARLIEST_DEADLINE_FIRST_PROTOCOL")),
            "line 2, <scheduler_type>: 'EARLIEST_DEADLINE_FIRST_PROTOCOL', expected "
            "POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL, RATE_MONOTONIC_PROTOCOL or DEADLINE_MONOTONIC_PROTOCOL");
  const std::string rate = "RATE_MONOTONIC_PROTOCOL";
  EXPECT_EQ(complaint(model(rate, "<blocking_time>3</blocking_time>")), "line 6, <blocking_time>: 3, expected 0");
  EXPECT_EQ(complaint(model(rate, "<jitter>x</jitter>")), "line 6, <jitter>: 'x', expected a whole number");
  EXPECT_EQ(complaint(model(rate) + "\n<dependency>"), "line 7, <dependency>: expected none, it is not in this model");
  EXPECT_EQ(complaint("<cheddar></cheddar>"), "no <periodic_task>, expected a Cheddar model");
}

}  // namespace
}  // namespace samcl::analysis
