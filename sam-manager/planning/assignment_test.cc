#include "sam-manager/planning/assignment.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "sam-manager/planning/memory.h"
#include "sam-manager/planning/profile.h"

namespace samcl::planning {
namespace {

using analysis::Resource;
using analysis::Stage;
using registry::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kMs = 1'000'000;

analysis::Time ms(double value) { return static_cast<analysis::Time>(value * 1e6); }

// A GPU stage alone; times by mode. slice_ms: its longest part that nobody interrupts; 0: all of it.
Task gpu_task(const std::string& name, int priority, uint64_t period_ms, const std::vector<double>& worst_ms,
              double slice_ms = 0) {
  analysis::Task profile;
  profile.name = "measured";
  profile.period = profile.deadline = analysis::kLongest;
  Stage stage;
  stage.resource = Resource::gpu;
  for (const double worst : worst_ms) stage.worst.push_back(ms(worst));
  stage.section.assign(stage.worst.size(), ms(slice_ms));
  stage.host.assign(stage.worst.size(), 0);
  profile.stages = {stage};
  Task task;
  task.name = name;
  task.priority = priority;
  task.period_ns = task.deadline_ns = period_ms * kMs;
  task.profile = format_profile(profile);
  return task;
}

std::map<std::string, Task> named(const std::vector<Task>& tasks) {
  std::map<std::string, Task> map;
  for (const Task& task : tasks) map[task.name] = task;
  return map;
}

// No other programs.
Settings alone() {
  Settings settings;
  settings.other_slice_ns = settings.other_chunk_ns = 0;
  return settings;
}

const Machine kTwoGpus{4, {"a", "b"}, 0};

TEST(Assignment, TaskGetsTheModeInWhichItMeetsItsDeadline) {
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 10, {15, 8})}), kTwoGpus, alone());
  ASSERT_THAT(plan.tasks, SizeIs(1));
  EXPECT_EQ(plan.tasks[0].mode, 2);
  EXPECT_EQ(plan.tasks[0].bound_ns, 8 * kMs);
  EXPECT_TRUE(plan.tasks[0].guaranteed());
}

TEST(Assignment, TasksOfOneGpuAreKeptApart) {
  const Assignment plan =
      assign_modes(named({gpu_task("high", 5, 10, {8, 7}), gpu_task("low", 4, 10, {8, 7})}), kTwoGpus, alone());
  ASSERT_THAT(plan.tasks, SizeIs(2));
  EXPECT_EQ(plan.tasks[0].name, "high");
  EXPECT_NE(plan.tasks[0].devices, plan.tasks[1].devices);
  EXPECT_TRUE(plan.tasks[0].guaranteed());
  EXPECT_TRUE(plan.tasks[1].guaranteed());
  EXPECT_EQ(plan.tasks[1].bound_ns, 8 * kMs) << "nothing is in its way on its own GPU";
}

// Two GPUs for the second task would be the least late of all choices, and cost the first one its guarantee.
TEST(Assignment, WhereNotAllCanBeGuaranteedTheMostUrgentAre) {
  const Assignment plan =
      assign_modes(named({gpu_task("first", 9, 10, {5.6, 5.6}, 0.5), gpu_task("second", 8, 37, {19.5, 10.5}, 5),
                          gpu_task("third", 7, 66, {44.8, 44.8}, 0.5)}),
                   kTwoGpus, alone());
  ASSERT_THAT(plan.tasks, SizeIs(3));
  EXPECT_TRUE(plan.find("first")->guaranteed());
  EXPECT_TRUE(plan.find("second")->guaranteed());
  EXPECT_FALSE(plan.find("third")->guaranteed());
}

TEST(Assignment, AJobHasItsGpuForItsStagesAndWhileItWaitsThereForCpus) {
  const Machine one{1, {"a"}, 0};
  Task urgent = gpu_task("urgent", 9, 100, {3}), camera = gpu_task("camera", 5, 100, {8});
  EXPECT_EQ(assign_modes(named({urgent, camera}), one, alone()).find("camera")->gpu_ns, 8 * kMs)
      << "what it waits for before it has it is not counted";
  auto computes = parse_profile(camera.profile).value();
  computes.stages[0].host = {ms(2)};
  camera.profile = format_profile(computes);
  auto on_cpu = parse_profile(urgent.profile).value();
  on_cpu.stages[0].resource = Resource::cpu;
  on_cpu.stages[0].host = {};
  urgent.profile = format_profile(on_cpu);
  const Assignment plan = assign_modes(named({urgent, camera}), one, alone());
  EXPECT_EQ(plan.find("camera")->gpu_ns, 11 * kMs) << "the more urgent one computes for 3";
  EXPECT_EQ(plan.find("camera")->bound_ns, 11 * kMs);
}

TEST(Assignment, LongestSectionsNeedNoBound) {
  Settings settings = alone();
  settings.handovers = analysis::Handovers{1000, 200, 30};
  const auto sections = [&](const std::vector<Task>& tasks, const Machine& machine) {
    return assign_modes(named(tasks), machine, settings).sections;
  };
  const Task camera = gpu_task("camera", 5, 10, {15, 8}, 2);
  EXPECT_EQ(sections({camera}, kTwoGpus).at("camera").cut.gpu_ns, 2 * kMs + 200);
  EXPECT_EQ(sections({camera}, kTwoGpus).at("camera").whole.gpu_ns, 8 * kMs + 30 + 1230)
      << "in the mode that is planned";
  const Task late = gpu_task("late", 5, 10, {15, 12}, 2);
  const Assignment plan = assign_modes(named({late}), kTwoGpus, settings);
  ASSERT_FALSE(plan.tasks.at(0).bound_ns);
  EXPECT_EQ(plan.sections.at("late").cut.gpu_ns, 2 * kMs + 200);
  EXPECT_EQ(sections({late}, {4, {}, 65}).at("late").cut.gpu_ns, 2 * kMs + 200) << "nothing can be planned for 65 GPUs";
  EXPECT_EQ(unplanned(named({late}), settings).sections.at("late").whole.gpu_ns, 15 * kMs + 30 + 1230)
      << "in whichever mode";
  EXPECT_EQ(sections({late}, kTwoGpus).at("late").cut.link_ns, 0u);
}

TEST(Assignment, SlicesOfOtherProgramsAreInTheWayOnce) {
  Settings settings = alone();
  settings.other_slice_ns = 2 * kMs;
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 20, {8, 5})}), {1, {"a"}, 0}, settings);
  EXPECT_EQ(plan.tasks.at(0).bound_ns, 10 * kMs - 1);
}

TEST(Assignment, HandOversAreInEveryBound) {
  Settings settings = alone();
  settings.other_slice_ns = 2 * kMs;
  const auto tasks = named({gpu_task("camera", 5, 20, {8, 5})});
  const Machine one{1, {"a"}, 0};
  const uint64_t before = *assign_modes(tasks, one, settings).tasks.at(0).bound_ns;
  settings.handovers = analysis::Handovers{1000, 200, 30};
  EXPECT_EQ(assign_modes(tasks, one, settings).tasks.at(0).bound_ns, before + 30 + 1230 + 200)
      << "its wake-up, its request, and the boundary of the slice that it waits for";
  settings.handovers.reset();
  const Assignment unknown = assign_modes(tasks, one, settings);
  EXPECT_FALSE(unknown.tasks.at(0).guaranteed());
  EXPECT_THAT(unknown.tasks[0].doubt, HasSubstr("could not be measured"));
}

TEST(Assignment, WhatNobodyMeasuredMakesABoundAnEstimate) {
  Task camera = gpu_task("camera", 5, 20, {8, 5});
  auto profile = parse_profile(camera.profile).value();
  profile.stages[0].host.clear();
  camera.profile = format_profile(profile);
  const Assignment plan = assign_modes(named({camera, gpu_task("sonar", 9, 100, {1, 1})}), kTwoGpus, alone());
  for (const AssignedTask& task : plan.tasks) {
    EXPECT_TRUE(task.meets_deadline());
    EXPECT_FALSE(task.guaranteed()) << "who shares the machine with it is in the dark as well";
    EXPECT_THAT(task.estimate, HasSubstr("profile of \"camera\" does not tell what CPU time"));
  }
  EXPECT_EQ(objection(Assignment(), plan, "camera"), "") << "its deadline is met by the proof";
}

// What others have for too long is taken from them: only the task's own transfers are in the dark.
TEST(Assignment, TransfersTimedWhileOtherLinksWereIdleMakeTheTasksBoundAnEstimate) {
  Task camera = gpu_task("camera", 5, 20, {8, 5});
  auto profile = parse_profile(camera.profile).value();
  profile.stages.push_back(profile.stages[0]);
  profile.stages[1].resource = Resource::link;
  const auto planned = [&](int links, const Machine& machine) {
    profile.links = links;
    camera.profile = format_profile(profile);
    return assign_modes(named({camera, gpu_task("sonar", 9, 100, {1, 1})}), machine, alone());
  };
  const Assignment idle = planned(analysis::kIdleLinks, kTwoGpus);
  EXPECT_TRUE(idle.find("camera")->meets_deadline());
  EXPECT_EQ(idle.find("camera")->estimate,
            "the transfers of \"camera\" were timed while other links were idle (links)");
  EXPECT_FALSE(idle.find("camera")->guaranteed());
  EXPECT_TRUE(idle.find("sonar")->guaranteed()) << "it has no transfers";
  EXPECT_TRUE(planned(analysis::kBusyLinks, kTwoGpus).find("camera")->guaranteed());
  EXPECT_TRUE(planned(135, kTwoGpus).find("camera")->guaranteed());
  EXPECT_EQ(planned(analysis::kIdleLinks, {4, {"a"}, 0}).find("camera")->estimate, "") << "there are no other links";
}

// A job is seen to begin, not to be released: 7 ms behind its release, and the next one in time, they are 93 ms apart.
struct LateStartsTest : ::testing::Test {
  Settings settings = alone();
  const Machine machine{1, {"a", "b"}, 0};

  LateStartsTest() { settings.cpu_watch_ns = kMs; }
  static Task task(const std::string& name, int priority, double compute_ms, uint64_t deadline_ms = 100,
                   uint64_t period_ms = 100) {
    Task task = gpu_task(name, priority, period_ms, {1, 1});
    task.deadline_ns = deadline_ms * kMs;
    auto profile = parse_profile(task.profile).value();
    Stage stage;
    stage.worst.assign(2, ms(compute_ms));
    profile.stages.insert(profile.stages.begin(), stage);
    task.profile = format_profile(profile);
    return task;
  }
  // A less urgent task that needs the CPU at the end of video's budget, with the next one, and with one more that comes
  // too soon.
  Assignment planned(double audio_ms, uint64_t least_urgent_ms = 200) const {
    return assign_modes(
        named({task("audio", 9, audio_ms), task("video", 5, 1), task("log", 4, 60, least_urgent_ms, 200)}), machine,
        settings);
  }
};

TEST_F(LateStartsTest, JobsThatMayBeginLateAreToldToBeExpectedSoonAfterEachOther) {
  const Assignment soon = planned(1);
  EXPECT_EQ(soon.find("video")->early_ns, 100 * kMs / 16);
  EXPECT_TRUE(soon.find("video")->guaranteed());
  const Assignment late = planned(10);
  EXPECT_GT(late.find("video")->late_start_ns, 100 * kMs / 16);
  EXPECT_EQ(late.find("video")->early_ns, late.find("video")->late_start_ns);
  for (const AssignedTask& task : late.tasks) EXPECT_TRUE(task.guaranteed()) << task.name << ": " << task.estimate;
}

TEST_F(LateStartsTest, WhereThatCostsAnotherTaskItsDeadlineItIsAnEstimate) {
  const uint64_t tolerant = *planned(10).find("log")->bound_ns;
  ASSERT_TRUE(planned(10).find("video")->guaranteed());
  const Assignment tight = planned(10, tolerant / kMs - 1);
  EXPECT_FALSE(tight.find("video")->guaranteed());
  EXPECT_TRUE(tight.find("video")->meets_deadline());
  EXPECT_EQ(tight.find("video")->early_ns, 100 * kMs / 16);
  EXPECT_THAT(tight.find("video")->estimate, HasSubstr("before they begin, so that one seems to come too early"));
  EXPECT_TRUE(tight.find("log")->meets_deadline());
}

TEST_F(LateStartsTest, AChangeOfTasksIsBoundedOnlyWhereJobsThatBeginLateMeanwhileAreTolerated) {
  const auto change = [&](double before_ms, double after_ms) {
    return assign_modes(named({task("audio", 9, after_ms), task("video", 5, 1), task("log", 4, 60, 200, 200)}), machine,
                        settings, planned(before_ms));
  };
  const Assignment quicker = change(20, 1);
  EXPECT_GE(quicker.find("video")->early_ns, planned(20).find("video")->late_start_ns) << "of jobs under way";
  for (const AssignedTask& task : quicker.tasks) EXPECT_TRUE(task.changing_ns) << task.name;
}

// 950 of each 1,000 ms. A job of the task may compute for 3 of its 20 ms, and 51 of them be under way in a second.
TEST(Assignment, WhatTheKernelKeepsFromRealTimeThreadsMustNotBeMet) {
  Task audio = gpu_task("audio", 4, 20, {3, 3});
  auto profile = parse_profile(audio.profile).value();
  profile.stages[0].resource = Resource::cpu;
  profile.stages[0].host.clear();
  profile.stages.push_back(parse_profile(gpu_task("any", 4, 20, {1, 1}).profile).value().stages[0]);
  audio.profile = format_profile(profile);
  Settings settings = alone();
  const auto planned = [&] { return assign_modes(named({audio}), kTwoGpus, settings).tasks.at(0); };
  EXPECT_TRUE(planned().guaranteed()) << planned().estimate;
  settings.realtime = {200 * kMs, 1000 * kMs};
  EXPECT_TRUE(planned().guaranteed()) << planned().estimate;
  settings.realtime = {150 * kMs, 1000 * kMs};
  EXPECT_FALSE(planned().guaranteed());
  EXPECT_TRUE(planned().meets_deadline());
  EXPECT_THAT(planned().estimate, HasSubstr("may compute for 153 ms in 1 s"));
}

TEST(Assignment, CpuTimeOfSlicesIsInTheBoundsOfWhoComputes) {
  Task camera = gpu_task("camera", 5, 20, {8, 5}), audio = gpu_task("audio", 4, 20, {3, 3});
  auto profile = parse_profile(camera.profile).value();
  profile.stages[0].host = {ms(2), ms(2)};
  camera.profile = format_profile(profile);
  profile = parse_profile(audio.profile).value();
  profile.stages[0] = {Resource::cpu, {ms(3), ms(3)}, {}};
  audio.profile = format_profile(profile);
  const Assignment plan = assign_modes(named({camera, audio}), {1, {"a"}, 0}, alone());
  EXPECT_EQ(plan.find("camera")->bound_ns, 8 * kMs);
  EXPECT_EQ(plan.find("audio")->bound_ns, (3 + 2) * kMs);
}

TEST(Assignment, AJobHasCpuTimeForItsStagesAndRequests) {
  Task camera = gpu_task("camera", 5, 100, {8});
  auto profile = parse_profile(camera.profile).value();
  profile.stages[0].host = {ms(2)};
  profile.stages.insert(profile.stages.begin(), {Resource::cpu, {ms(3)}, {}});
  camera.profile = format_profile(profile);
  Settings settings = alone();
  EXPECT_EQ(assign_modes(named({camera}), {1, {"a"}, 0}, settings).find("camera")->cpu_ns, 5 * kMs);
  settings.handovers = analysis::Handovers{1000, 200, 30};
  EXPECT_EQ(assign_modes(named({camera}), {1, {"a"}, 0}, settings).find("camera")->cpu_ns, 5 * kMs + 30 + 30 + 1230)
      << "its wake-up twice: as CPU time of its first stage, and among what it asks for";
}

TEST(Assignment, WhereTheProfileDoesNotTellOfCpuTimeNoneIsPromised) {
  Task camera = gpu_task("camera", 5, 100, {8});
  auto profile = parse_profile(camera.profile).value();
  profile.stages[0].host.clear();
  camera.profile = format_profile(profile);
  EXPECT_EQ(assign_modes(named({camera}), {1, {"a"}, 0}, alone()).find("camera")->cpu_ns, std::nullopt);
}

TEST(Assignment, WhatIsNoticedTooLateOfMoreUrgentTasksIsInTheBoundsOfWhoComputes) {
  Task camera = gpu_task("camera", 5, 20, {8}), audio = gpu_task("audio", 4, 16, {3});
  auto profile = parse_profile(audio.profile).value();
  profile.stages[0] = {Resource::cpu, {ms(3)}, {}};
  audio.profile = format_profile(profile);
  Settings settings = alone();
  const Machine two_cpus{2, {"a"}, 0};
  EXPECT_EQ(assign_modes(named({camera, audio}), two_cpus, settings).find("audio")->bound_ns, 3 * kMs);
  settings.cpu_watch_ns = kMs;
  const Assignment plan = assign_modes(named({camera, audio}), two_cpus, settings);
  EXPECT_EQ(plan.find("camera")->bound_ns, 8 * kMs) << "nobody is more urgent";
  EXPECT_EQ(plan.find("audio")->bound_ns, (3 + 2) * kMs) << "on all CPUs, with two budgets of it";
  const auto& terms = plan.find("audio")->terms;
  const auto late = std::ranges::find(terms, Term::Kind::late, &Term::kind);
  ASSERT_NE(late, terms.end());
  EXPECT_EQ(late->of, "camera");
  EXPECT_EQ(late->time, ms(2));
}

TEST(Assignment, WishesForDevicesAreKept) {
  Task camera = gpu_task("camera", 5, 10, {6, 3});
  camera.devices = {"b"};
  const Assignment plan = assign_modes(named({camera}), kTwoGpus, alone());
  EXPECT_EQ(plan.tasks.at(0).mode, 1);
  EXPECT_THAT(plan.tasks[0].devices, ElementsAre(1));
}

TEST(Assignment, ModesThatWereNotMeasuredAreNotUsed) {
  const Machine four{4, {"a", "b", "c", "d"}, 0};
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 10, {15, 12})}), four, alone());
  EXPECT_LE(plan.tasks.at(0).mode, 2);
  EXPECT_FALSE(plan.tasks[0].guaranteed());
}

TEST(Assignment, WhileModesChangeJobsOfBothAreUnderWay) {
  const Task camera = gpu_task("camera", 5, 10, {9, 5}), sonar = gpu_task("sonar", 4, 20, {12, 11});
  const Assignment alone_there = assign_modes(named({camera}), kTwoGpus, alone());
  EXPECT_EQ(alone_there.tasks.at(0).mode, 2);
  EXPECT_EQ(alone_there.tasks[0].changing_ns, alone_there.tasks[0].bound_ns) << "nothing was there before";
  const Assignment both = assign_modes(named({camera, sonar}), kTwoGpus, alone(), alone_there);
  EXPECT_TRUE(both.find("camera")->guaranteed());
  EXPECT_EQ(both.find("camera")->bound_ns, 9 * kMs);
  EXPECT_EQ(both.find("camera")->changing_ns, std::nullopt) << "its last job on both GPUs waits for sonar";
  EXPECT_EQ(both.changing, "");
  const Assignment again = assign_modes(named({camera, sonar}), kTwoGpus, alone(), both);
  EXPECT_EQ(again.find("camera")->changing_ns, std::nullopt) << "the change may not be over yet";
  EXPECT_EQ(again.find("camera")->bound_ns, 9 * kMs);
}

TEST(Assignment, OfAnotherMachineNothingIsKnownWhileModesChange) {
  const Task camera = gpu_task("camera", 5, 10, {9, 5});
  const Assignment before = assign_modes(named({camera}), {4, {"a"}, 0}, alone());
  const Assignment after = assign_modes(named({camera}), kTwoGpus, alone(), before);
  EXPECT_THAT(after.changing, HasSubstr("platform: another one"));
  EXPECT_EQ(after.tasks.at(0).changing_ns, std::nullopt);
  EXPECT_TRUE(after.tasks[0].guaranteed());
}

TEST(Assignment, MoreModesThanGpusAreLeftOut) {
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 10, {9, 5, 4, 3})}), {1, {"a"}, 0}, alone());
  EXPECT_EQ(plan.tasks.at(0).mode, 1);
  EXPECT_EQ(plan.tasks[0].bound_ns, 9 * kMs);
}

TEST(Assignment, BeforeAnyProgramThereAreAsManyGpusAsWereMeasuredOn) {
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 10, {15, 8})}), {1, {}, 0}, alone());
  EXPECT_EQ(plan.tasks.at(0).mode, 2);
}

TEST(Assignment, WhatIsNotKnownOfMakesGuaranteesDoubtful) {
  Task unknown;
  unknown.name = "unknown";
  unknown.priority = 5;
  const auto tasks = named({gpu_task("above", 6, 100, {8, 7}), gpu_task("below", 4, 100, {8, 7}), unknown});
  const Assignment plan = assign_modes(tasks, kTwoGpus, alone());
  EXPECT_THAT(plan.unprofiled, ElementsAre("unknown"));
  EXPECT_TRUE(plan.find("above")->guaranteed());
  EXPECT_FALSE(plan.find("below")->guaranteed());
  EXPECT_THAT(plan.find("below")->doubt, HasSubstr("\"unknown\""));
}

TEST(Assignment, ProgramsOfNoTaskMayBeAsUrgent) {
  Settings settings = alone();
  settings.default_priority = 5;
  const Assignment plan = assign_modes(named({gpu_task("camera", 5, 100, {8, 7})}), kTwoGpus, settings);
  EXPECT_THAT(plan.tasks.at(0).doubt, HasSubstr("no registered task"));
}

Task on(Task task, const std::string& device) {
  task.devices = {device};
  return task;
}

const UnderPolicy& under(const Assignment& plan, const std::string& policy) {
  return *std::find_if(plan.under.begin(), plan.under.end(),
                       [&](const UnderPolicy& known) { return known.policy == policy; });
}

TEST(Assignment, TellsBoundsUnderEveryPolicy) {
  Settings settings = alone();
  settings.modes = analysis::ModePolicy::single;
  const auto tasks = named({gpu_task("a", 6, 100, {8}), gpu_task("b", 4, 100, {9})});
  const Machine one{4, {"a"}, 0};
  const Assignment plan = assign_modes(tasks, one, settings);
  EXPECT_EQ(under(plan, "fixed-priority").tasks[1].bound_ns, plan.find("b")->bound_ns);
  EXPECT_EQ(under(plan, "fixed-priority").estimate, "");
  for (const char* policy : {"edf", "fmlp-long", "omlp"}) {
    const UnderPolicy& known = under(plan, policy);
    EXPECT_EQ(known.problem, "") << policy;
    EXPECT_THAT(known.estimate, HasSubstr("marked")) << policy;
    ASSERT_TRUE(known.tasks[1].bound_ns) << policy;
    EXPECT_GE(*known.tasks[1].bound_ns, 100 * kMs) << "the deadline and how late it may be";
  }
  EXPECT_EQ(under(plan, "fmlp-long").tasks[0].blocking_ns, 9 * kMs) << "one request of the other";
  EXPECT_EQ(under(plan, "edf").tasks[0].blocking_ns, 18 * kMs) << "two jobs of the other may be pending beside one";
}

TEST(Assignment, BoundsAreThoseOfThePolicyInForceAndNoGuarantee) {
  Settings settings = alone();
  settings.modes = analysis::ModePolicy::single;
  settings.policy = scheduler::kFmlpLong;
  const Assignment plan =
      assign_modes(named({gpu_task("a", 6, 100, {8}), gpu_task("b", 4, 100, {9})}), {4, {"a"}, 0}, settings);
  const AssignedTask& task = *plan.find("a");
  EXPECT_EQ(task.bound_ns, under(plan, "fmlp-long").tasks[0].bound_ns);
  EXPECT_FALSE(task.guaranteed());
  EXPECT_EQ(task.doubt, "");
  EXPECT_THAT(task.estimate, HasSubstr("marked"));
  uint64_t sum = 0;
  for (const Term& term : task.terms) sum += static_cast<uint64_t>(term.time);
  EXPECT_EQ(sum, task.bound_ns);
}

// Three jobs, two GPUs: a request waits for half of the others' sections, or for the longer one.
TEST(Assignment, JobsThatHaveAnyGpuToThemselvesAreBoundedByDonation) {
  Settings settings = alone();
  settings.policy = scheduler::k_exclusion(4);
  Task a = gpu_task("a", 6, 100, {8, 5});
  a.memory_bytes = 7;
  const auto tasks = named({a, gpu_task("b", 4, 100, {9, 6}), gpu_task("c", 3, 100, {10, 7})});
  const Assignment plan = assign_modes(tasks, kTwoGpus, settings);
  const UnderPolicy& known = under(plan, "k-exclusion");
  EXPECT_EQ(known.problem, "");
  EXPECT_EQ(known.tasks[0].blocking_ns, 9.5 * kMs);
  EXPECT_EQ(known.tasks[2].blocking_ns, 8.5 * kMs);
  const AssignedTask& task = *plan.find("a");
  EXPECT_EQ(task.mode, 1) << "though two were faster";
  EXPECT_EQ(task.critical_section_ns, 8 * kMs);
  EXPECT_EQ(task.bound_ns, known.tasks[0].bound_ns);
  EXPECT_FALSE(task.guaranteed());
  EXPECT_THAT(reserved_memory(tasks, plan, kTwoGpus), ElementsAre(7, 7)) << "its job may run on either";
}

TEST(Assignment, CriticalSectionIsAllFromTheFirstCommandOn) {
  Settings settings = alone();
  settings.policy = scheduler::k_exclusion(4);
  settings.other_slice_ns = kMs / 2;
  settings.other_chunk_ns = 0;
  settings.handovers = analysis::Handovers{ms(0.01), ms(0.02), ms(0.03)};
  analysis::Task profile;
  profile.name = "measured";
  profile.period = profile.deadline = analysis::kLongest;
  for (const auto& [resource, worst] :
       {std::pair{Resource::cpu, 5.0}, {Resource::link, 1.0}, {Resource::gpu, 4.0}, {Resource::cpu, 2.0}}) {
    Stage stage;
    stage.resource = resource;
    stage.worst = {ms(worst)};
    profile.stages.push_back(stage);
  }
  Task task = gpu_task("a", 6, 100, {1});
  task.profile = format_profile(profile);
  const Assignment plan = assign_modes(named({task}), kTwoGpus, settings);
  EXPECT_EQ(plan.find("a")->critical_section_ns, 7'700'000u)
      << "1 + 4 + 2, another program's slice that is passed on, 0.52, and three requests, 0.06 each: for the GPU of "
         "its "
         "own, the link and the GPU";
}

// GPU 0's container has a and c: c may have begun when a's job comes, and is over with it in time.
TEST(Assignment, ContainersBoundTheTasksOfEachGpuByThemselves) {
  Settings settings = alone();
  settings.policy = scheduler::kContainers;
  const auto tasks = named(
      {on(gpu_task("a", 6, 20, {8}), "a"), on(gpu_task("b", 4, 50, {50}), "b"), on(gpu_task("c", 3, 40, {15}), "a")});
  const Assignment plan = assign_modes(tasks, {2, {"a", "b"}, 0}, settings);
  EXPECT_EQ(plan.find("a")->bound_ns, (20 + 8 + 15 - 20) * kMs);
  EXPECT_EQ(plan.find("b")->bound_ns, 50 * kMs);
  EXPECT_EQ(plan.find("c")->bound_ns, 40 * kMs);
  EXPECT_TRUE(plan.find("c")->meets_deadline()) << plan.find("c")->doubt;
  EXPECT_FALSE(plan.find("c")->guaranteed());
  EXPECT_THAT(plan.find("c")->estimate, HasSubstr("marked"));
}

TEST(Assignment, ContainersThatAreTooFullOrLackACpuHaveNoBounds) {
  const auto full = named({on(gpu_task("a", 6, 20, {8}), "a"), on(gpu_task("c", 3, 40, {25}), "a")});
  EXPECT_EQ(under(assign_modes(full, kTwoGpus, alone()), "containers").problem,
            "the jobs of device 0 are more than its container can do");
  const auto fits = named({on(gpu_task("a", 6, 20, {8}), "a")});
  EXPECT_EQ(under(assign_modes(fits, {1, {"a", "b"}, 0}, alone()), "containers").problem,
            "the containers of 2 GPUs need a CPU each, and there are 1");
}

TEST(Assignment, TaskOfCertainGpusIsNoTaskOfAny) {
  Task a = gpu_task("a", 6, 100, {8});
  a.devices = {"b"};
  const Assignment plan = assign_modes(named({a}), kTwoGpus, alone());
  EXPECT_EQ(under(plan, "k-exclusion").problem,
            "task \"a\" may use 1 of 2 GPUs, and the analysis of k-exclusion knows tasks that may use any");
}

TEST(Assignment, ChangeOfThePolicyIsAChangeOfWhichNothingIsKnown) {
  Settings settings = alone();
  const auto tasks = named({gpu_task("a", 6, 100, {8, 7})});
  const Assignment fixed = assign_modes(tasks, kTwoGpus, settings);
  settings.policy = scheduler::kEdf;
  const Assignment edf = assign_modes(tasks, kTwoGpus, settings, fixed);
  EXPECT_EQ(edf.changing, "the analysis of edf does not tell of changes");
  settings.policy = scheduler::kFixedPriority;
  const Assignment again = assign_modes(tasks, kTwoGpus, settings, edf);
  EXPECT_EQ(again.changing, "the policy was edf before");
  EXPECT_EQ(assign_modes(tasks, kTwoGpus, settings, fixed).changing, "");
}

TEST(Assignment, WhatAnAnalysisCannotBoundIsSaid) {
  const auto on_two = named({gpu_task("a", 6, 10, {15, 8})});
  const Assignment plan = assign_modes(on_two, kTwoGpus, alone());
  EXPECT_THAT(under(plan, "omlp").problem, HasSubstr("task \"a\" uses 2 GPUs at once"));
  EXPECT_FALSE(under(plan, "omlp").tasks[0].bound_ns);
  Settings settings = alone();
  settings.modes = analysis::ModePolicy::single;
  const Assignment full =
      assign_modes(named({gpu_task("a", 6, 10, {8}), gpu_task("b", 4, 10, {8})}), {4, {"a"}, 0}, settings);
  EXPECT_THAT(under(full, "fmlp-long").problem,
              HasSubstr("executes and waits for others' requests for longer than its deadline"));
}

TEST(Assignment, TellsWhenNewBoundsHold) {
  Settings settings = alone();
  settings.modes = analysis::ModePolicy::single;
  const Machine one{4, {"a"}, 0};
  const auto first = named({gpu_task("a", 6, 100, {8})});
  const Assignment before = assign_modes(first, one, settings);
  EXPECT_FALSE(before.transition_ns) << "there was no plan before";
  const auto both = named({gpu_task("a", 6, 100, {8}), gpu_task("b", 4, 100, {9})});
  const Assignment after = assign_modes(both, one, settings, before);
  // A job of each under way, and one more of each.
  EXPECT_EQ(after.transition_ns, 2 * (8 + 9) * kMs);
}

TEST(Assignment, EqualPrioritiesAreAProblem) {
  const Assignment plan =
      assign_modes(named({gpu_task("a", 5, 100, {8, 7}), gpu_task("b", 5, 100, {8, 7})}), kTwoGpus, alone());
  EXPECT_THAT(plan.problem, HasSubstr("priority: 5"));
  EXPECT_THAT(plan.tasks, IsEmpty());
}

TEST(Objection, CountsTheTimeOfChange) {
  const Machine one{4, {"a"}, 0};
  Assignment before = assign_modes(named({gpu_task("camera", 5, 100, {40})}), one, alone());
  Assignment after =
      assign_modes(named({gpu_task("camera", 5, 100, {40}), gpu_task("radar", 4, 100, {20})}), one, alone(), before);
  ASSERT_EQ(objection(before, after, "radar"), "");
  after.tasks[0].changing_ns = 120 * kMs;
  EXPECT_EQ(objection(before, after, "radar"),
            "\"camera\" may take 120 ms, beyond its deadline of 100 ms, while tasks change");
  after.changing = "stages: others than before";
  EXPECT_EQ(objection(before, after, "radar"), "while tasks change, nothing is known: stages: others than before");
  EXPECT_EQ(objection({}, after, "radar"), "") << "nobody was promised anything";
}

TEST(Objection, NamesWhoIsLateAndByHowMuch) {
  const Machine one{1, {"a"}, 0};
  Task low = gpu_task("low", 1, 20, {6});
  low.deadline_ns = 10 * kMs;
  const Assignment before = assign_modes(named({low}), one, alone());
  const auto urgent = gpu_task("urgent", 9, 20, {5});
  const Assignment after = assign_modes(named({low, urgent}), one, alone());
  EXPECT_EQ(objection(Assignment(), before, "low"), "");
  EXPECT_EQ(objection(before, after, "urgent"), "\"low\" may take 11 ms, 1 ms beyond its deadline of 10 ms");
}

TEST(Objection, IsNotMadeForThoseWhoHadNoGuarantee) {
  const Machine one{1, {"a"}, 0};
  const Task late = gpu_task("late", 1, 10, {11});
  const Assignment before = assign_modes(named({late}), one, alone());
  EXPECT_EQ(objection(Assignment(), before, "late"), "\"late\" may take longer than its period");
  const Assignment after = assign_modes(named({late, gpu_task("other", 9, 20, {1})}), one, alone());
  EXPECT_EQ(objection(before, after, "other"), "");
}

TEST(Objection, IsNotMadeToWhatIsLessUrgentAndUnknown) {
  const Task camera = gpu_task("camera", 5, 100, {8, 7});
  Task logger;
  logger.name = "logger";
  logger.priority = 1;
  const Assignment before = assign_modes(named({camera}), kTwoGpus, alone());
  EXPECT_EQ(objection(before, assign_modes(named({camera, logger}), kTwoGpus, alone()), "logger"), "");
  logger.priority = 6;
  EXPECT_THAT(objection(before, assign_modes(named({camera, logger}), kTwoGpus, alone()), "logger"),
              HasSubstr("\"camera\": task \"logger\" is as urgent and has no profile"));
}

}  // namespace
}  // namespace samcl::planning
