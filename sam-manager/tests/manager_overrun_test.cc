// Programs that do more than was promised of them: noticed, counted, and, by configuration, made less urgent or
// relieved of what they hold.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::ResourceKind;
using testing::Child;
using testing::Daemon;
using testing::kMs;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct OverrunTest : ::testing::Test {
  Daemon daemon;
  std::unique_ptr<lease::Client> greedy;
  std::unique_ptr<Child> urgent;

  void start(const std::string& policy) {
    ASSERT_TRUE(daemon.start_configured("overrun = '" + policy + "'\nother_slice = '20ms'"));
    ASSERT_EQ(daemon.register_task("urgent", 40), "");
    ASSERT_EQ(daemon.register_task("greedy", 30, 0, {}, 1500 * kMs), "");
    greedy = daemon.connect("greedy");
    urgent = testing::start_taker(daemon, "urgent");
    ASSERT_TRUE(greedy && urgent);
  }

  // The greedy program has GPU 0, and the urgent one has asked for it.
  void start_held_up(const std::string& policy) {
    ASSERT_NO_FATAL_FAILURE(start(policy));
    greedy->acquire(ResourceKind::gpu, 0);
    urgent->line().say('t');
  }

  template <typename Condition>
  bool comes_true(const std::string& task, Condition condition) const {
    return testing::comes_true([&] { return condition(daemon.program(task)); });
  }
};

TEST_F(OverrunTest, SectionThatIsTooLongIsCounted) {
  ASSERT_NO_FATAL_FAILURE(start_held_up("log"));
  EXPECT_EQ(urgent->line().hear(200), 0) << "it holds what it holds";
  EXPECT_TRUE(greedy->revoke_requested(ResourceKind::gpu, 0));
  greedy->release(ResourceKind::gpu, 0);
  EXPECT_EQ(urgent->line().hear(), 'h');
  ASSERT_TRUE(comes_true("greedy", [](const auto& entry) { return entry["overruns"]["sections"] == 1; }));
  EXPECT_GT(daemon.program("greedy")["overruns"]["longest_section_ns"], 150 * kMs);
  EXPECT_EQ(daemon.program("greedy")["priority"], 30);
  EXPECT_EQ(daemon.ask({{"ask", "history"}, {"name", "greedy"}}).value()["overruns"]["sections"], 1)
      << "against the task";
  EXPECT_EQ(greedy->leases_taken(), 0u);
}

TEST_F(OverrunTest, SectionWithinThePromiseIsNone) {
  ASSERT_NO_FATAL_FAILURE(start("end"));
  for (int i = 0; i < 10; ++i) {
    greedy->acquire(ResourceKind::gpu, 0);
    std::this_thread::sleep_for(milliseconds(30));  // nobody waits
    urgent->line().say('t');
    while (!greedy->revoke_requested(ResourceKind::gpu, 0)) std::this_thread::yield();
    greedy->release(ResourceKind::gpu, 0);
    ASSERT_EQ(urgent->line().hear(), 'h');
    urgent->line().say('r');
    ASSERT_EQ(urgent->line().hear(), 'f');
  }
  EXPECT_LT(daemon.program("greedy")["overruns"]["sections"], 3) << "but for what a busy machine does";
}

TEST_F(OverrunTest, WhoHoldsTooLongIsLessUrgentUntilItHasBehaved) {
  ASSERT_NO_FATAL_FAILURE(start_held_up("demote"));
  ASSERT_TRUE(comes_true("greedy", [](const auto& entry) { return entry["demoted"] == true; }));
  EXPECT_EQ(daemon.program("greedy")["priority"], -1) << "below programs of no task";
  EXPECT_EQ(urgent->line().hear(100), 0) << "though it holds what it holds";
  greedy->release(ResourceKind::gpu, 0);
  EXPECT_EQ(urgent->line().hear(), 'h');
  EXPECT_TRUE(comes_true("greedy", [](const auto& entry) { return entry["priority"] == 30; }));
  EXPECT_EQ(daemon.program("greedy")["demoted"], false);
}

TEST_F(OverrunTest, WhatIsHeldTooLongIsTakenAndItsHolderTold) {
  ASSERT_NO_FATAL_FAILURE(start_held_up("end"));
  EXPECT_EQ(urgent->line().hear(), 'h') << "as if it had died";
  EXPECT_EQ(greedy->leases_taken(), 1u);
  EXPECT_TRUE(greedy->revoke_requested(ResourceKind::gpu, 0)) << "it is to ask again";
  greedy->release(ResourceKind::gpu, 0);
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["task"], "urgent") << "not its own to give back";
}

TEST_F(OverrunTest, JobsFasterThanThePeriodAreCountedAndDemoted) {
  ASSERT_NO_FATAL_FAILURE(start("demote"));
  for (int i = 0; i < 5; ++i) greedy->job_ended(kMs);
  ASSERT_TRUE(comes_true("greedy", [](const auto& entry) { return entry["overruns"]["early_jobs"] == 4; }));
  EXPECT_EQ(daemon.program("greedy")["demoted"], true);
  EXPECT_TRUE(comes_true("greedy", [](const auto& entry) { return entry["demoted"] == false; }));
}

TEST_F(OverrunTest, JobsLongerThanTheirProfileAreCounted) {
  ASSERT_NO_FATAL_FAILURE(start("log"));
  const auto client = daemon.connect("sonar");
  const auto answer = daemon.ask({{"ask", "register"},
                                  {"task",
                                   {{"name", "sonar"},
                                    {"priority", 35},
                                    {"gpus", 0},
                                    {"match", ""},
                                    {"period_ns", 1000},
                                    {"deadline_ns", 1000},
                                    {"devices", nlohmann::json::array()}}}});
  ASSERT_TRUE(answer) << answer.error().message;
  const nlohmann::json profile = {
      {"platform", {{"cpus", 2}, {"gpus", 1}}},
      {"tasks", {{{"name", "any"}, {"period", "100ms"}, {"stages", {{{"resource", "GPU"}, {"worst", "8ms"}}}}}}}};
  const auto set =
      daemon.ask({{"ask", "set"},
                  {"name", "sonar"},
                  {"changes", {{"profile", profile}, {"period_ns", 1000 * kMs}, {"deadline_ns", 900 * kMs}}}});
  ASSERT_TRUE(set) << set.error().message;
  client->job_ended(7 * kMs);
  client->job_ended(500 * kMs);  // far beyond: hand-overs are in the budget, and cost much on a busy machine
  EXPECT_TRUE(comes_true("sonar", [](const auto& entry) { return entry["overruns"]["long_jobs"] == 1; }));
}

// One task's lie beside a less urgent one that keeps to its profile: the liar promised 20 ms of its GPU for a job, and
// has it for as long as nobody more urgent wants it.
struct LyingTaskTest : OverrunTest {
  std::unique_ptr<lease::Client> liar;
  std::unique_ptr<Child> guarded;
  std::atomic<bool> goes_on{true};
  std::atomic<bool> has_gpu{false};     // or had it
  std::atomic<bool> marks_jobs{false};  // all the time, as if they were short
  std::thread lying;

  // The guarded task has the GPU, and the liar asks for it; its profile tells of one request.
  void ask_for_what_guarded_has() {
    guarded->line().say('t');
    ASSERT_EQ(guarded->line().hear(), 'h');
    lying = std::thread([this] { const lease::Lease gpu(liar.get(), ResourceKind::gpu, 0); });
    ASSERT_TRUE(comes_true("guarded", [this](const auto&) {
      return daemon.status()["resources"][0]["waiting"].size() == 1;
    })) << daemon.status().dump(1);
  }
  void give_it_to_liar() {
    guarded->line().say('r');
    ASSERT_EQ(guarded->line().hear(), 'f');
    lying.join();
  }
  void start_asking(const std::string& policy) {
    ASSERT_TRUE(daemon.start_configured("overrun = '" + policy + "'"));
    ASSERT_NO_FATAL_FAILURE(register_profiled("guarded", 20, "10s", "9s", 100'000 * kMs, 10));
    ASSERT_NO_FATAL_FAILURE(register_profiled("liar", 40, "10s", "9s", 100'000 * kMs));
    liar = daemon.connect("liar");
    guarded = testing::start_taker(daemon, "guarded");
    ASSERT_TRUE(liar && guarded);
    liar->job_began();
    ASSERT_NO_FATAL_FAILURE(ask_for_what_guarded_has());
    EXPECT_EQ(daemon.program("guarded")["lent_priority"], 40) << "as often as was promised";
    ASSERT_NO_FATAL_FAILURE(give_it_to_liar());
    EXPECT_EQ(daemon.program("liar")["overruns"]["asking_jobs"], 0);
    ASSERT_NO_FATAL_FAILURE(ask_for_what_guarded_has());
    EXPECT_EQ(daemon.program("liar")["overruns"]["asking_jobs"], 1);
  }

  ~LyingTaskTest() override {
    goes_on = false;
    guarded.reset();  // it may have what the liar waits for
    if (lying.joinable()) lying.join();
  }

  void register_profiled(const std::string& name, int priority, const char* worst, const char* section,
                         uint64_t period_ns, int requests = 1) {
    ASSERT_EQ(daemon.register_task(name, priority, 0, {}, period_ns), "");
    const nlohmann::json stage = {
        {"resource", "GPU"}, {"worst", worst}, {"section", section}, {"host", 0}, {"requests", requests}};
    const nlohmann::json profile = {{"platform", {{"cpus", 2}, {"gpus", 1}}},
                                    {"tasks", {{{"name", name}, {"period", "100s"}, {"stages", {stage}}}}}};
    const auto set = daemon.ask({{"ask", "set"}, {"name", name}, {"changes", {{"profile", profile}}}});
    ASSERT_TRUE(set) << set.error().message;
  }

  void start_lying(const std::string& policy, uint64_t period_ns) {
    ASSERT_TRUE(daemon.start_configured("overrun = '" + policy + "'"));
    liar = daemon.connect("liar");
    ASSERT_TRUE(liar);
    ASSERT_NO_FATAL_FAILURE(register_profiled("guarded", 20, "10s", "900ms", 100'000 * kMs, 50'000));
    ASSERT_NO_FATAL_FAILURE(register_profiled("liar", 40, "20ms", "5ms", period_ns));
    guarded = testing::start_taker(daemon, "guarded");
    ASSERT_TRUE(guarded);
    lying = std::thread([this] {
      liar->job_began();
      while (goes_on) {
        const lease::Lease gpu(liar.get(), ResourceKind::gpu, 0);
        has_gpu = true;
        while (goes_on && !gpu.revoke_requested()) {
          std::this_thread::sleep_for(milliseconds(1));
          if (marks_jobs) liar->job_began();
        }
      }
    });
    while (!has_gpu) std::this_thread::yield();
    guarded->line().say('t');
  }
};

// Of as many requests no bound is known with hand-overs as long as these, which a busy machine may well measure.
TEST_F(LyingTaskTest, WhoKeepsToItsProfileKeepsWhatItHasThoughNoBoundIsKnown) {
  ASSERT_TRUE(daemon.start_configured("overrun = 'end'\nhandovers = '5ms'"));
  ASSERT_NO_FATAL_FAILURE(register_profiled("guarded", 20, "10s", "9s", 100'000 * kMs, 50'000));
  ASSERT_EQ(daemon.register_task("liar", 40, 0, {}, 100'000 * kMs), "");
  guarded = testing::start_taker(daemon, "guarded");
  liar = daemon.connect("liar");
  ASSERT_TRUE(liar && guarded);
  ASSERT_NO_FATAL_FAILURE(ask_for_what_guarded_has());
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["task"], "guarded");
  ASSERT_NO_FATAL_FAILURE(give_it_to_liar());
  EXPECT_EQ(daemon.program("guarded")["overruns"]["sections"], 0);
}

TEST_F(LyingTaskTest, HasWhatOthersWaitForAsLongAsItLikesWhereThatIsOnlyLogged) {
  ASSERT_NO_FATAL_FAILURE(start_lying("log", 100'000 * kMs));
  ASSERT_TRUE(comes_true("liar", [](const auto& entry) { return entry["overruns"]["greedy_jobs"] == 1; }));
  EXPECT_EQ(guarded->line().hear(200), 0);
  EXPECT_EQ(daemon.program("liar")["demoted"], false);
}

TEST_F(LyingTaskTest, HasNoMoreThanItPromisedWhereThatIsEnforced) {
  ASSERT_NO_FATAL_FAILURE(start_lying("demote", 100'000 * kMs));
  EXPECT_EQ(guarded->line().hear(), 'h') << "though the liar is more urgent";
  EXPECT_EQ(daemon.program("liar")["demoted"], true);
  EXPECT_EQ(daemon.program("liar")["overruns"]["greedy_jobs"], 1);
  guarded->line().say('r');
  EXPECT_EQ(guarded->line().hear(), 'f');
  guarded->line().say('t');
  EXPECT_EQ(guarded->line().hear(), 'h') << "and so to the end of that job";
}

TEST_F(LyingTaskTest, HasNoMoreByBeginningJobsAllTheTime) {
  marks_jobs = true;
  ASSERT_NO_FATAL_FAILURE(start_lying("end", 100'000 * kMs));
  EXPECT_EQ(guarded->line().hear(), 'h');
  EXPECT_EQ(daemon.program("liar")["overruns"]["greedy_jobs"], 1);
}

TEST_F(LyingTaskTest, HasWhatItPromisedInEachPeriod) {
  marks_jobs = true;
  ASSERT_NO_FATAL_FAILURE(start_lying("demote", 2000 * kMs));
  uint64_t greedy_jobs = 0;
  for (const auto until = Clock::now() + std::chrono::seconds(20); greedy_jobs < 2 && Clock::now() < until;) {
    ASSERT_EQ(guarded->line().hear(), 'h');
    guarded->line().say('r');
    ASSERT_EQ(guarded->line().hear(), 'f');
    guarded->line().say('t');
    greedy_jobs = daemon.program("liar")["overruns"]["greedy_jobs"];
  }
  EXPECT_EQ(greedy_jobs, 2u) << "with its next job it was the most urgent one again, and had too much again";
}

TEST_F(LyingTaskTest, AsksAsOftenAsItLikesWhereThatIsOnlyLogged) {
  ASSERT_NO_FATAL_FAILURE(start_asking("log"));
  EXPECT_EQ(daemon.program("guarded")["lent_priority"], 40);
  EXPECT_EQ(daemon.program("liar")["demoted"], false);
  ASSERT_NO_FATAL_FAILURE(give_it_to_liar());
  EXPECT_EQ(daemon.ask({{"ask", "history"}, {"name", "liar"}}).value()["overruns"]["asking_jobs"], 1);
}

TEST_F(LyingTaskTest, InterruptsNobodyMoreOftenThanItPromisedWhereThatIsEnforced) {
  ASSERT_NO_FATAL_FAILURE(start_asking("end"));
  EXPECT_TRUE(daemon.program("guarded")["lent_priority"].is_null()) << "it is not in the liar's way any more";
  EXPECT_EQ(daemon.program("liar")["demoted"], true);
  ASSERT_NO_FATAL_FAILURE(give_it_to_liar());
  ASSERT_NO_FATAL_FAILURE(ask_for_what_guarded_has());
  EXPECT_EQ(daemon.program("liar")["overruns"]["asking_jobs"], 1) << "once for a job";
  ASSERT_NO_FATAL_FAILURE(give_it_to_liar());
}

}  // namespace
}  // namespace samcl
