// Cheddar, MAST, pyCPA and SMFF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/exchange/cheddar.h"
#include "analysis/exchange/mast.h"
#include "analysis/exchange/pycpa.h"
#include "analysis/exchange/smff.h"
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

TEST(Smff, ComesBackAsItWas) {
  TaskSet set = pipelines();
  set.tasks[0].name = "\"slow\" & more";
  set.tasks[0].jitter = 2;
  set.tasks[1].deadline = 40;
  const auto text = format_smff(set, kOnes);
  ASSERT_TRUE(text) << text.error().message;
  const auto back = parse_smff(*text, 1000);  // the text says that it is in nanoseconds
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(parse_smff(replaced(*text, kSmffNanoseconds, ""), 1000)->tasks[1].deadline, 40'000);
  ASSERT_EQ(back->tasks.size(), 2);
  EXPECT_EQ(back->platform.cpus, 2);
  EXPECT_FALSE(back->platform.bound);
  EXPECT_THAT(priority_order(*back), ElementsAre(1, 0));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back->tasks[i].name, set.tasks[i].name);
    EXPECT_EQ(back->tasks[i].period, set.tasks[i].period);
    EXPECT_EQ(back->tasks[i].deadline, set.tasks[i].deadline);
    EXPECT_EQ(back->tasks[i].jitter, set.tasks[i].jitter);
    ASSERT_EQ(back->tasks[i].stages.size(), 3);
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(back->tasks[i].stages[j].resource, set.tasks[i].stages[j].resource);
      EXPECT_EQ(back->tasks[i].stages[j].worst_in(1), set.tasks[i].stages[j].worst_in(1));
      EXPECT_EQ(back->tasks[i].stages[j].best_in(1), set.tasks[i].stages[j].best_in(1));
    }
  }
  EXPECT_NE(back->tasks[0].cpu, back->tasks[1].cpu);
}

// As its authors' tool writes them: a link on a communication resource, and one that takes no time.
std::string smff(const std::string& priority, const std::string& other = "7") {
  return R"(<SystemModel><Platform>
<Resource resID="4" shortName="ResId:4"><Scheduler name="SPPScheduler" /></Resource>
<Resource resID="5" shortName="Acc_CommRes1"><Scheduler name="SPNPScheduler" /></Resource>
<CommResource resID="4" shortName="CommRes1"><Scheduler name="SPNPScheduler" /></CommResource>
</Platform><Applications><Application appID="2" appV="0">
<Task ID="2" shortName="A2T2"><SchedulingParameter name="SchedulingPriority" priority="1" /><Profile bcet="5" wcet="6"
 active="true"><ActivationPattern name="EventActivation" /></Profile></Task>
<Task ID="1" shortName="A2T1"><SchedulingParameter name="SchedulingPriority" priority="1" /><Profile bcet="3" wcet="4"
 active="true"><ActivationPattern name="EventActivation" /></Profile></Task>
<Task ID="0" shortName="A2T0"><SchedulingParameter name="SchedulingPriority" priority="1" /><Profile bcet="1" wcet="2"
 active="true"><ActivationPattern name="PJActivation" activationPeriod="70" activationJitter="9" /></Profile></Task>
<TaskLink ID="0" src="0" trgt="1" shortName="A2TL0-1"/>
<TaskLink ID="1" src="1" trgt="2" shortName="A2TL1-2"><Profile bcet="7" wcet="8" active="true"><ActivationPattern
 name="EventActivation" /></Profile><SchedulingParameter name="SchedulingPriority" priority=")" +
         priority + R"(" /></TaskLink>
<Mapping><mapTask tid="0" rid="4" /><mapTask tid="1" rid="4" /><mapTask tid="2" rid="5" /><mapLink lid="0" rid="4" />
<mapLink lid="1" crid="4" /></Mapping><Constraints><Constraint StartTaskId="0" EndTaskId="2" Constraint="69.9996148" />
</Constraints></Application><Application appID="3" appV="0">
<Task ID="0" shortName="A3T0"><SchedulingParameter name="SchedulingPriority" priority=")" +
         other + R"(" /><Profile bcet="1" wcet="1" active="true">
<ActivationPattern name="PJActivation" activationPeriod="90" activationJitter="0" /></Profile></Task>
<Task ID="1" shortName="A3T1"><SchedulingParameter name="SchedulingPriority" priority="2" /><Profile bcet="1" wcet="1"
 active="true"><ActivationPattern name="EventActivation" /></Profile></Task>
<TaskLink ID="9" src="0" trgt="1" shortName="A3TL0-1"/>
<Mapping><mapTask tid="0" rid="4" /><mapTask tid="1" rid="5" /></Mapping></Application></Applications></SystemModel>)";
}

TEST(Smff, IsReadWithLinksThatTakeTimeAndPrioritiesOfEachResource) {
  const auto set = parse_smff(smff("1"), 1000);
  ASSERT_TRUE(set) << set.error().message;
  const Task& task = set->tasks[0];
  EXPECT_EQ(task.name, "A2");
  EXPECT_EQ(task.period, 70'000);
  EXPECT_EQ(task.jitter, 9'000);
  EXPECT_EQ(task.deadline, 69'999);
  std::vector<std::pair<Resource, Time>> stages;
  for (const Stage& each : task.stages) stages.emplace_back(each.resource, each.worst_in(1));
  EXPECT_THAT(stages, ElementsAre(std::pair{Resource::cpu, 2'000}, std::pair{Resource::cpu, 4'000},
                                  std::pair{Resource::link, 8'000}, std::pair{Resource::gpu, 6'000}));
  EXPECT_EQ(set->tasks[1].deadline, 90'000);
  EXPECT_FALSE(set->platform.bound) << "the link is the GPU's";
  EXPECT_THAT(priority_order(*set), ElementsAre(0, 1));
}

TEST(Smff, WhatOurModelDoesNotHaveIsNamed) {
  const auto complaint = [](const std::string& text) {
    const auto set = parse_smff(text, 1);
    return set ? "none" : set.error().message;
  };
  const std::string good = smff("1");
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(complaint(smff("1", "1")), "line 18, priority: 1, expected one that no other application has on 'ResId:4'");
  EXPECT_EQ(complaint(smff("1", "0")), "priorities: expected one order of the applications on all resources");
  EXPECT_EQ(complaint(replaced(good, "src=\"1\"", "src=\"0\"")),
            "line 13, <TaskLink>: expected tasks one after the other");
  EXPECT_EQ(complaint(replaced(good, "trgt=\"2\"", "trgt=\"8\"")),
            "line 13, <TaskLink>: expected two tasks of its application");
  EXPECT_THAT(complaint(replaced(good, "\"SPPScheduler\"", "\"TDMAScheduler\"")),
              HasSubstr("line 2, <Scheduler>, name: 'TDMAScheduler', expected SPPScheduler or SPNPScheduler"));
  EXPECT_EQ(complaint(replaced(good, "EndTaskId=\"2\"", "EndTaskId=\"1\"")),
            "line 16, <Constraint>: expected one, from the first task to the last");
  EXPECT_EQ(complaint(replaced(good, "wcet=\"6\"", "wcet=\"x\"")),
            "line 6, <Profile>, wcet: 'x', expected a whole number");
  EXPECT_EQ(complaint("<SystemModel></SystemModel>"), "no <Application>, expected an SMFF model");
}

TEST(Stations, WhatOtherToolsCannotExpressIsNamed) {
  const auto complaint = [](auto change, const Modes& modes = kOnes) {
    TaskSet set = pipelines();
    change(set);
    const auto text = format_mast(set, modes);
    return text ? "none" : text.error().message;
  };
  EXPECT_EQ(complaint([](TaskSet&) {}), "none");
  EXPECT_EQ(complaint([](TaskSet& set) { set.tasks[0].stages[1].section = {2}; }),
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
  EXPECT_EQ(format_smff(set, kOnes).error().message, "task \"slow\", offset: expected none for SMFF");
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
