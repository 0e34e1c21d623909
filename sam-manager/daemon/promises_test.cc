// By what a program's sections and jobs are measured: by what its own task's profile tells, whatever is planned at the
// time. The daemon's whole logic over real shared memory, on a clock of the test's.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>

#include "sam-manager/daemon/fake_processes.h"
#include "sam-manager/planning/profile.h"

namespace samcl::daemon {
namespace {

constexpr uint64_t kUs = 1000, kMs = 1'000'000, kOneSecond = 1'000'000'000;
constexpr uint32_t kGpu = 0;
constexpr uint64_t kOtherMs = 3;  // a section of programs that no profile tells of, in all tests

// A stage on a GPU in sections of so many ms, for 300 ms in all; sonar_task(0): no profile.
registry::Task sonar_task(analysis::Time section_ms, int requests = 1, uint64_t period_ns = 2 * kOneSecond) {
  registry::Task task;
  task.name = "sonar";
  task.priority = 10;
  task.period_ns = task.deadline_ns = period_ns;
  if (section_ms == 0) return task;
  analysis::Stage stage;
  stage.resource = analysis::Resource::gpu;
  stage.worst = {analysis::Time{300} * kMs};
  stage.host = {0};
  stage.section = {section_ms * static_cast<analysis::Time>(kMs)};
  stage.requests = requests;
  analysis::Task profile;
  profile.name = "measured";
  profile.period = profile.deadline = analysis::kLongest;
  profile.stages = {stage};
  task.profile = planning::format_profile(profile);
  return task;
}

registry::Task urgent_task() {
  registry::Task task = sonar_task(0);
  task.name = "urgent";
  task.priority = 40;
  return task;
}

struct PromisesTest : ::testing::Test {
  Config config;
  registry::Registry registry = *registry::Registry::open("");
  std::unique_ptr<Board> board;
  std::unique_ptr<Broker> broker;
  const ConnectedProgram *sonar = nullptr, *urgent = nullptr;
  uint64_t now = 1'000 * kOneSecond;

  PromisesTest() {
    spdlog::set_level(spdlog::level::off);
    config.overrun = OverrunPolicy::end;
    config.gpus = 1;
    config.cpus = 2;
    config.planning.other_slice_ns = config.planning.other_chunk_ns = kOtherMs * kMs;
    config.planning.handovers = analysis::Handovers{};
  }

  void start(const std::vector<registry::Task>& tasks) {
    registry::Tasks named;
    for (const auto& task : tasks) named[task.name] = task;
    registry.replace(named);
    auto made = Board::make();
    ASSERT_TRUE(made);
    board = std::make_unique<Board>(*std::move(made));
    broker = std::make_unique<Broker>(*board, registry, config, fake_processes());
  }
  void plan() { ASSERT_TRUE(complete_changes(*broker)); }
  void connect() {
    sonar = connect("sonar");
    urgent = connect("urgent");
    ASSERT_TRUE(sonar && urgent);
  }
  const ConnectedProgram* connect(const std::string& task) {
    Rights rights;
    rights.may_use = true;
    rights.programs = 64;
    rights.highest_priority = 98;
    const auto program =
        broker->connect({task, 0, {"a"}}, static_cast<pid_t>(100 + ++sequence_), 0, rights, "/bin/app");
    return program ? *program : nullptr;
  }
  void set(const registry::Task& task) { ASSERT_TRUE(broker->change({1, task.name, task, false})); }

  void say(const ConnectedProgram* program, protocol::MessageKind kind) {
    protocol::Message message;
    message.kind = kind;
    message.resource = kGpu;
    message.sequence = ++sequence_;
    broker->handle(program->id, message, now);
  }
  void ask(const ConnectedProgram* program) { say(program, protocol::MessageKind::acquire); }
  void give_back(const ConnectedProgram* program) {
    auto& word = board->words().words[kGpu];
    if (protocol::owner_of(word) == program->id) word |= protocol::kGivenBack;
    say(program, protocol::MessageKind::release);
  }
  void begin_job() { sonar->page->jobs.began_ns = now; }

  // The sonar has the GPU, and the urgent task asks for it.
  void hold_up() {
    ask(sonar);
    ask(urgent);
    ASSERT_EQ(broker->scheduler().owner(kGpu), sonar->id);
  }
  // For how many ms of waiting from now on it may keep it; looked at as the daemon does.
  uint64_t keeps_for_ms() {
    const uint64_t begin = now, until = now + 4 * kOneSecond;
    while (broker->scheduler().owner(kGpu) == sonar->id && now < until) {
      now = std::max(now + 1, std::min(broker->next_tick_ns(), now + 500 * kMs));
      broker->tick(now);
    }
    return (now - begin) / kMs;
  }

  // For how many ms the sonar has the urgent task's priority, where nothing is done about its keeping the GPU.
  uint64_t lent_for_ms() {
    config.overrun = OverrunPolicy::log;
    broker->reconfigure(config);
    connect();
    plan();
    hold_up();
    EXPECT_EQ(broker->loans().of(sonar->id), urgent_task().priority);
    const uint64_t begin = now;
    while (broker->loans().of(sonar->id) && now < begin + 10 * kOneSecond) broker->tick(now += 100 * kMs);
    return (now - begin) / kMs;
  }

 private:
  uint64_t sequence_ = 0;
};

registry::Task computing_first(registry::Task task, analysis::Time compute_ms) {
  auto profile = planning::parse_profile(sonar_task(9).profile).value();
  analysis::Stage stage;
  stage.worst = {compute_ms * static_cast<analysis::Time>(kMs)};
  profile.stages.insert(profile.stages.begin(), stage);
  task.profile = planning::format_profile(profile);
  return task;
}

// The more urgent task computes for 300 of 2,000 ms: the sonar's jobs may begin later than a sixteenth of that.
TEST_F(PromisesTest, JobThatBeganAsLateAsItMayMakesTheNextOneNoEarlyOne) {
  config.throttle = true;
  config.cpu_watch_ns = kMs;
  config.cpus = 1;
  ASSERT_NO_FATAL_FAILURE(start({computing_first(sonar_task(9), 50), computing_first(urgent_task(), 300)}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  const uint64_t early = sonar->assignment.early_ns, period = 2 * kOneSecond;
  ASSERT_GT(early, period / 16 + kMs);
  EXPECT_EQ(sonar->page->assignment.early_ns, early);
  const auto job = [&](uint64_t after) {
    now += after - kMs;
    broker->tick(now);
    now += kMs;
    begin_job();
    ask(sonar);
    give_back(sonar);
  };
  job(period);
  job(period - early);
  job(period);
  EXPECT_EQ(sonar->overruns.throttled_jobs, 0u);
  job(period - kMs);
  EXPECT_EQ(sonar->overruns.throttled_jobs, 1u);
}

TEST_F(PromisesTest, ProfileTellsTheLongestSection) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_TRUE(broker->admission().plan().find("sonar")->bound_ns);
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 9u);
  EXPECT_EQ(sonar->overruns.sections, 1u);
}

TEST_F(PromisesTest, AHolderIsLentThePriorityForASecond) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  EXPECT_EQ(lent_for_ms(), 1'000u);
}

TEST_F(PromisesTest, AHolderIsLentThePriorityForAllOfASectionThatIsLonger) {
  registry::Task slow = sonar_task(9, 1, 20 * kOneSecond);
  auto profile = planning::parse_profile(slow.profile).value();
  profile.stages[0].worst = profile.stages[0].section = {2'500 * static_cast<analysis::Time>(kMs)};
  slow.profile = planning::format_profile(profile);
  ASSERT_NO_FATAL_FAILURE(start({slow, urgent_task()}));
  EXPECT_EQ(lent_for_ms(), 2'500u);
}

TEST_F(PromisesTest, WhereNoBoundIsKnownToo) {
  // Many requests, and hand-overs measured on a busy machine.
  config.planning.handovers = analysis::Handovers{200 * kUs, 0, 0};
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9, 50'000), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_FALSE(broker->admission().plan().find("sonar")->bound_ns);
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 9u);
}

TEST_F(PromisesTest, BeforeTheFirstPlanIsMadeToo) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 9u);
  ASSERT_TRUE(broker->admission().is_deciding());
}

TEST_F(PromisesTest, WhereNothingCanBePlannedToo) {
  config.gpus = analysis::kMaxElements + 1;
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NE(broker->admission().plan().problem, "");
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 9u);
}

TEST_F(PromisesTest, UnderAPolicyThatLetsHoldersKeepWhatTheyHaveFromTheFirstMomentOn) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_TRUE(broker->set_policy("fmlp-long"));
  ASSERT_TRUE(broker->admission().is_deciding()) << "the plan is still the other policy's";
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 300u);
}

TEST_F(PromisesTest, SectionUnderWayWhenAPolicyEndsMayBeAsLongAsItBegan) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_TRUE(broker->set_policy("fmlp-long"));
  ASSERT_NO_FATAL_FAILURE(hold_up());
  now += 50 * kMs;
  ASSERT_TRUE(broker->set_policy("fixed-priority"));
  ASSERT_NO_FATAL_FAILURE(plan());
  EXPECT_EQ(keeps_for_ms(), 250u);
}

TEST_F(PromisesTest, SectionUnderWayHasTheLongerOfTwoPromises) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(hold_up());
  now += 1 * kMs;
  ASSERT_NO_FATAL_FAILURE(set(sonar_task(30)));
  ASSERT_NO_FATAL_FAILURE(plan());
  EXPECT_EQ(keeps_for_ms(), 29u) << "more is promised meanwhile";
}

TEST_F(PromisesTest, JobUnderWayHasTheSectionsOfItsBegin) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(30), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  begin_job();
  ask(sonar);
  ASSERT_NO_FATAL_FAILURE(set(sonar_task(9)));
  ASSERT_NO_FATAL_FAILURE(plan());
  ask(urgent);
  EXPECT_EQ(keeps_for_ms(), 30u);
  give_back(urgent);
  now += 2 * kOneSecond;
  begin_job();
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), 9u) << "the next job";
}

TEST_F(PromisesTest, ProfileThatComesWhileItsSectionIsUnderWay) {
  ASSERT_NO_FATAL_FAILURE(start({urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(hold_up());
  now += 1 * kMs;
  ASSERT_NO_FATAL_FAILURE(set(sonar_task(9)));
  ASSERT_NO_FATAL_FAILURE(plan());
  EXPECT_EQ(keeps_for_ms(), 8u);
}

TEST_F(PromisesTest, WhoIsNoTaskAnyMoreEndsItsSectionAndIsThenMeasuredLikeOthers) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ask(sonar);
  ASSERT_TRUE(broker->change({1, "sonar", std::nullopt, false}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ask(urgent);
  EXPECT_EQ(keeps_for_ms(), 9u);
  give_back(urgent);
  now += 10 * kMs;
  ASSERT_NO_FATAL_FAILURE(hold_up());
  EXPECT_EQ(keeps_for_ms(), kOtherMs);
}

TEST_F(PromisesTest, JobUnderWayHasTheBudgetOfItsBegin) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(30), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  begin_job();
  ask(sonar);
  const auto budget = [this] { return sonar->page->assignment.budget_ns.load() / kMs; };
  ASSERT_EQ(budget(), 300u);
  registry::Task shorter = sonar_task(30);
  auto profile = planning::parse_profile(shorter.profile).value();
  profile.stages[0].worst = {static_cast<analysis::Time>(100 * kMs)};
  shorter.profile = planning::format_profile(profile);
  ASSERT_NO_FATAL_FAILURE(set(shorter));
  ASSERT_NO_FATAL_FAILURE(plan());
  EXPECT_EQ(budget(), 300u);
  give_back(sonar);
  now += 2 * kOneSecond;
  begin_job();
  ask(sonar);
  EXPECT_EQ(budget(), 100u);
}

// Less urgent than they, with threads that have no priority, on whatever CPU time others leave: it would never be more
// urgent again.
TEST_F(PromisesTest, WhoIsLessUrgentForAWhileIsNotBlamedForWhomItKeepsWaitingThen) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(hold_up());
  ASSERT_EQ(keeps_for_ms(), 9u);
  give_back(urgent);
  ASSERT_TRUE(is_demoted(*sonar));
  const ConnectedProgram* const other = connect("");
  ASSERT_TRUE(other);
  ask(sonar);
  ask(other);
  const uint64_t until = now + 2 * kOneSecond;
  for (; now < until + kMs; now += 10 * kMs) {
    ASSERT_EQ(broker->scheduler().owner(kGpu), sonar->id);
    broker->tick(now);
  }
  EXPECT_EQ(sonar->overruns.sections, 1u);
  EXPECT_FALSE(is_demoted(*sonar)) << "a period has passed";
}

TEST_F(PromisesTest, JobsThatAreLateAndEarlyWhileItIsLessUrgentDoNotKeepItSo) {
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(9), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(plan());
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  const auto hear_of_early_jobs = [&] {
    ++sonar->page->jobs.count;
    ++sonar->page->jobs.early;
    broker->heartbeat(now);
  };
  broker->heartbeat(now);
  hear_of_early_jobs();
  ASSERT_TRUE(is_demoted(*sonar));
  for (int i = 0; i < 3; ++i) {
    now += 500 * kMs;
    hear_of_early_jobs();
    EXPECT_TRUE(is_demoted(*sonar)) << i;
  }
  now += 501 * kMs;
  hear_of_early_jobs();
  EXPECT_FALSE(is_demoted(*sonar)) << "the first one was two seconds ago";
  EXPECT_EQ(sonar->overruns.early_jobs, 5u);
  now += 500 * kMs;
  hear_of_early_jobs();
  EXPECT_TRUE(is_demoted(*sonar)) << "that was its own";
}

// Delayed by something else than tasks (the machine's host, a page that is read), it is in nobody's way.
TEST_F(PromisesTest, OneWhoseLinksGpusAndCpusAreEnforcedIsNotLessUrgentBecauseAJobTookLong) {
  const auto is_demoted_by_a_long_job = [&](uint64_t cpu_watch_ns) {
    config.cpu_watch_ns = cpu_watch_ns;
    broker.reset();
    start({sonar_task(9), urgent_task()});
    plan();
    connect();
    plan();
    EXPECT_TRUE(broker->admission().plan().find("sonar")->bound_ns);
    broker->heartbeat(now);
    ++sonar->page->jobs.count;
    ++sonar->page->jobs.long_jobs;
    broker->heartbeat(now += 500 * kMs);
    EXPECT_EQ(sonar->overruns.long_jobs, 1u);
    return is_demoted(*sonar);
  };
  EXPECT_FALSE(is_demoted_by_a_long_job(kMs));
  EXPECT_TRUE(is_demoted_by_a_long_job(0)) << "nobody looks what it computes";
}

TEST_F(PromisesTest, JobOfAShorterPeriodThanBeforeIsNotThrottled) {
  config.throttle = true;
  ASSERT_NO_FATAL_FAILURE(start({sonar_task(30, 1, 20 * kOneSecond), urgent_task()}));
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_NO_FATAL_FAILURE(plan());
  begin_job();
  ask(sonar);
  give_back(sonar);
  ASSERT_NO_FATAL_FAILURE(set(sonar_task(30)));
  ASSERT_NO_FATAL_FAILURE(plan());
  now += 2 * kOneSecond;
  begin_job();
  ask(sonar);
  EXPECT_EQ(sonar->overruns.throttled_jobs, 0u);
  now += kOneSecond;
  begin_job();
  ask(sonar);
  EXPECT_EQ(sonar->overruns.throttled_jobs, 1u);
}

}  // namespace
}  // namespace samcl::daemon
