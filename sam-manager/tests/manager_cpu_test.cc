// A task whose threads compute for longer than its profile says, and a less urgent one on the same CPU: what was
// promised of the first one is enforced, so that the second has what is left; and nothing stays of it.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "sam-manager/daemon/thread_scheduling.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using daemon::scheduling_of;
using testing::Child;
using testing::comes_true;
using testing::Daemon;
using testing::kMs;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLiar = 40, kGuarded = 20;

void run_on_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

milliseconds computed() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return milliseconds(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

bool is_urgent(pid_t thread, int priority) {
  const auto now = scheduling_of(thread);
  return now && now->policy == SCHED_FIFO && now->priority == static_cast<uint32_t>(priority);
}

bool is_ordinary(pid_t thread) {
  const auto now = scheduling_of(thread);
  return now && now->policy == SCHED_OTHER;
}

struct CpuTest : ::testing::Test {
  struct Shared {
    std::atomic<bool> goes_on, computes, marks_jobs;
    std::atomic<int> guarded_ms;  // that it has computed
  };
  Shared* shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
  testing::UrgentObserver observer;
  Daemon daemon;
  std::unique_ptr<Child> liar, guarded;

  void SetUp() override {
    if (!observer.works()) GTEST_SKIP() << "no real-time priorities on this system";
    shared->goes_on = true;
  }

  // One that promises to compute for that long in each period.
  void register_liar(uint64_t period_ns, const char* promised) {
    ASSERT_EQ(daemon.register_task("liar", kLiar, 0, {}, period_ns), "");
    const nlohmann::json profile = {
        {"platform", {{"cpus", 1}, {"gpus", 1}}},
        {"tasks",
         {{{"name", "liar"},
           {"period", "100s"},
           {"stages",
            {{{"resource", "CPU"}, {"worst", promised}}, {{"resource", "GPU"}, {"worst", "1ms"}, {"host", "1us"}}}}}}}};
    const auto set = daemon.ask({{"ask", "set"}, {"name", "liar"}, {"changes", {{"profile", profile}}}});
    ASSERT_TRUE(set) << set.error().message;
  }

  // It is on one CPU, and, once told to, computes until it is told to end.
  void start_liar(const std::string& policy, uint64_t period_ns, const char* promised = "20ms") {
    ASSERT_TRUE(daemon.start_configured("overrun = '" + policy + "'\ncpus = 1\nhandovers = '1us'"));
    ASSERT_NO_FATAL_FAILURE(register_liar(period_ns, promised));
    liar = std::make_unique<Child>([this](const Child::Line& line) {
      setpriority(PRIO_PROCESS, 0, 7);
      const auto client = daemon.connect("liar");
      if (!client) return 1;
      run_on_one_cpu();
      client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
      line.say('a');
      if (line.hear(60'000) != 'g') return 2;
      client->job_began();
      for (shared->computes = true; shared->goes_on;)
        if (shared->marks_jobs) client->job_began();
      line.say('e');
      line.hear(60'000);
      return 0;
    });
    ASSERT_EQ(liar->line().hear(), 'a');
    ASSERT_TRUE(comes_true([&] { return is_urgent(liar->pid(), kLiar); }));
  }
  void lie() {
    liar->line().say('g');
    ASSERT_TRUE(comes_true([&] { return shared->computes.load(); }));
  }
  // Less urgent, on the same CPU: tells how much it has computed.
  void start_guarded() {
    guarded = std::make_unique<Child>([this](const Child::Line& line) {
      run_on_one_cpu();
      daemon::set_scheduling(0, daemon::fifo(kGuarded));
      line.say('r');
      line.hear(60'000);
      while (shared->goes_on) shared->guarded_ms = static_cast<int>(computed().count());
      line.say('e');
      line.hear(60'000);
      return 0;
    });
    ASSERT_EQ(guarded->line().hear(), 'r');
  }
  void end_all() {
    shared->goes_on = false;
    EXPECT_EQ(liar->line().hear(20'000), 'e');
  }
  uint64_t cpu_jobs() const { return daemon.program("liar")["overruns"]["cpu_jobs"]; }
};

TEST_F(CpuTest, WhatIsPromisedIsNoOverrun) {
  ASSERT_NO_FATAL_FAILURE(start_liar("end", 200 * kMs));
  std::this_thread::sleep_for(milliseconds(600));
  EXPECT_EQ(cpu_jobs(), 0u);
  EXPECT_GE(daemon.program("liar")["cpu_budget_ns"], 20 * kMs);
  EXPECT_LT(daemon.program("liar")["cpu_used_ns"], 20 * kMs);
  EXPECT_TRUE(is_urgent(liar->pid(), kLiar)) << "budget after budget";
}

TEST_F(CpuTest, MoreIsCountedAndShown) {
  ASSERT_NO_FATAL_FAILURE(start_liar("log", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(start_guarded());
  ASSERT_NO_FATAL_FAILURE(lie());
  guarded->line().say('g');
  ASSERT_TRUE(comes_true([&] { return cpu_jobs() == 1; }));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(shared->guarded_ms, 0) << "whoever is less urgent has nothing of that CPU";
  EXPECT_GT(daemon.program("liar")["cpu_used_ns"], 20 * kMs);
  EXPECT_EQ(daemon.program("liar")["demoted"], false);
  EXPECT_TRUE(is_urgent(liar->pid(), kLiar)) << "that is all";
  EXPECT_EQ(daemon.ask({{"ask", "history"}, {"name", "liar"}}).value()["overruns"]["cpu_jobs"], 1)
      << "against the task";
  end_all();
}

TEST_F(CpuTest, TaskThatUsesMoreIsNotInTheWayOfALessUrgentOne) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(start_guarded());
  ASSERT_NO_FATAL_FAILURE(lie());
  guarded->line().say('g');
  EXPECT_TRUE(comes_true([&] { return shared->guarded_ms >= 100; })) << "it is as if the liar were not there";
  EXPECT_TRUE(is_ordinary(liar->pid()));
  EXPECT_EQ(daemon.program("liar")["demoted"], true);
  EXPECT_EQ(cpu_jobs(), 1u);
  end_all();
}

TEST_F(CpuTest, BeginningJobsAllTheTimeBringsTheLiarNothing) {
  shared->marks_jobs = true;
  ASSERT_NO_FATAL_FAILURE(start_liar("end", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(start_guarded());
  ASSERT_NO_FATAL_FAILURE(lie());
  guarded->line().say('g');
  EXPECT_TRUE(comes_true([&] { return shared->guarded_ms >= 100; }));
  end_all();
}

TEST_F(CpuTest, LiarIsAsUrgentAsItsTaskAgainWithTheNextBudget) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 1000 * kMs, "400ms"));
  ASSERT_NO_FATAL_FAILURE(lie());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(comes_true([&] { return is_ordinary(liar->pid()); })) << i;
    EXPECT_EQ(scheduling_of(liar->pid())->nice, 7) << "as it was";
    ASSERT_TRUE(comes_true([&] { return is_urgent(liar->pid(), kLiar); })) << i;
  }
  end_all();
}

TEST_F(CpuTest, WhatIsComputedBetweenJobsIsNoOverrunAndInNobodysWay) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 100'000 * kMs));
  Child idle([this](const Child::Line& line) {
    const auto client = daemon.connect("liar");
    if (!client) return 1;
    client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
    client->job_began();
    client->job_ended(1);
    line.say('a');
    while (shared->goes_on) continue;
    return 0;
  });
  ASSERT_EQ(idle.line().hear(), 'a');
  EXPECT_TRUE(comes_true([&] { return is_ordinary(idle.pid()); }));
  const nlohmann::json status = daemon.status();
  for (const auto& program : status["programs"]) EXPECT_EQ(program["overruns"]["cpu_jobs"], 0);
  shared->goes_on = false;
}

TEST_F(CpuTest, TaskThatIsNotRegisteredAnyMoreIsWatchedByNobody) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(lie());
  ASSERT_TRUE(comes_true([&] { return is_ordinary(liar->pid()); }));
  ASSERT_TRUE(daemon.ask({{"ask", "unregister"}, {"name", "liar"}}));
  ASSERT_TRUE(comes_true([&] { return daemon.status()["programs"][0]["cpu_budget_ns"].is_null(); }));
  EXPECT_EQ(daemon.status()["programs"][0]["demoted"], false);
  EXPECT_TRUE(is_ordinary(liar->pid())) << "as before it had a task";
  EXPECT_EQ(scheduling_of(liar->pid())->nice, 7);
  end_all();
}

TEST_F(CpuTest, NothingStaysOfItWhenTheManagerIsKilled) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(lie());
  ASSERT_TRUE(comes_true([&] { return is_ordinary(liar->pid()); }));
  daemon.stop(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return is_urgent(liar->pid(), kLiar); })) << "as if nobody had looked";
  shared->goes_on = false;
}

TEST_F(CpuTest, NothingStaysOfItWhenTheManagerEnds) {
  ASSERT_NO_FATAL_FAILURE(start_liar("demote", 100'000 * kMs));
  ASSERT_NO_FATAL_FAILURE(lie());
  ASSERT_TRUE(comes_true([&] { return is_ordinary(liar->pid()); }));
  daemon.stop(SIGTERM);
  EXPECT_TRUE(comes_true([&] { return is_urgent(liar->pid(), kLiar); }));
  shared->goes_on = false;
}

// Tasks on one CPU: one that holds GPU 0 and needs some of the CPU before it gives it back, one that waits for that,
// and one that computes meanwhile.
struct HeldUpTest : CpuTest {
  static constexpr int kHolder = 20, kUrgent = 40;
  std::unique_ptr<Child> holder, urgent, busy;

  void register_profiled(const std::string& name, int priority, const nlohmann::json& stages) {
    ASSERT_EQ(daemon.register_task(name, priority, 0, {}, 100'000 * kMs), "");
    const nlohmann::json profile = {{"platform", {{"cpus", 1}, {"gpus", 1}}},
                                    {"tasks", {{{"name", name}, {"period", "100s"}, {"stages", stages}}}}};
    const auto set = daemon.ask({{"ask", "set"}, {"name", name}, {"changes", {{"profile", profile}}}});
    ASSERT_TRUE(set) << set.error().message;
  }
  std::unique_ptr<Child> start_task(const char* name,
                                    const std::function<void(lease::Client&, const Child::Line&)>& job) {
    auto child = std::make_unique<Child>([=, this](const Child::Line& line) {
      const auto client = daemon.connect(name);
      if (!client) return 1;
      run_on_one_cpu();
      client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
      client->job_began();
      line.say('a');
      job(*client, line);
      line.say('e');
      line.hear(60'000);
      return 0;
    });
    EXPECT_EQ(child->line().hear(), 'a');
    return child;
  }
  static void compute(int ms) {
    for (const auto until = computed() + milliseconds(ms); computed() < until;) continue;
  }
  // The holder's section is promised to be over within 400 ms, 20 of them on the CPU; the busy one computes for 1.2 s
  // from when the holder is waited for.
  void start(int busy_priority, const std::function<void()>& section) {
    ASSERT_TRUE(daemon.start_configured("overrun = 'end'\ncpus = 1\nhandovers = '1us'"));
    const nlohmann::json cpu = {{"resource", "CPU"}, {"worst", "2s"}};
    ASSERT_NO_FATAL_FAILURE(register_profiled(
        "holder", kHolder, {cpu, {{"resource", "GPU"}, {"worst", "10s"}, {"section", "400ms"}, {"host", "20ms"}}}));
    ASSERT_NO_FATAL_FAILURE(register_profiled(
        "urgent", kUrgent, {cpu, {{"resource", "GPU"}, {"worst", "1ms"}, {"section", "1ms"}, {"host", "1us"}}}));
    ASSERT_NO_FATAL_FAILURE(
        register_profiled("busy", busy_priority, {cpu, {{"resource", "GPU"}, {"worst", "1ms"}, {"host", "1us"}}}));
    holder = start_task("holder", [section](lease::Client& client, const Child::Line& line) {
      client.acquire(lease::ResourceKind::gpu, 0);
      line.say('h');
      line.hear(60'000);
      section();
      client.release(lease::ResourceKind::gpu, 0);
      line.say(client.leases_taken() == 0 ? 'k' : 't');
    });
    ASSERT_EQ(holder->line().hear(), 'h');
    busy = start_task("busy", [](lease::Client&, const Child::Line& line) {
      line.hear(60'000);
      compute(1200);
    });
    ASSERT_TRUE(comes_true([&] { return is_urgent(busy->pid(), busy_priority); }));
    urgent = start_task("urgent", [](lease::Client& client, const Child::Line& line) {
      client.acquire(lease::ResourceKind::gpu, 0);
      line.say('h');
    });
    ASSERT_TRUE(comes_true([&] { return is_urgent(holder->pid(), kUrgent); })) << "is waited for";
    busy->line().say('g');
    holder->line().say('g');
  }
  uint64_t sections() const {
    return daemon.ask({{"ask", "history"}, {"name", "holder"}}).value()["overruns"]["sections"];
  }
};

TEST_F(HeldUpTest, WhatMoreUrgentTasksComputeIsNoOverrunOfAHolder) {
  ASSERT_NO_FATAL_FAILURE(start(45, [] { compute(10); }));
  EXPECT_EQ(holder->line().hear(20'000), 'k') << "its lease is its own until it gives it back";
  EXPECT_EQ(urgent->line().hear(), 'h');
  EXPECT_EQ(sections(), 0u);
}

TEST_F(HeldUpTest, ButAHolderHasNoMoreThanThat) {
  ASSERT_NO_FATAL_FAILURE(start(45, [] { std::this_thread::sleep_for(std::chrono::seconds(5)); }));
  EXPECT_EQ(urgent->line().hear(3000), 'h') << "while the holder sleeps";
  EXPECT_EQ(busy->line().hear(), 'e');
  EXPECT_TRUE(comes_true([&] { return sections() == 1; }));
}

TEST_F(HeldUpTest, LessUrgentOnesThanTheWaitingOneKeepNobodyFromTheCpu) {
  ASSERT_NO_FATAL_FAILURE(start(30, [] { std::this_thread::sleep_for(std::chrono::seconds(5)); }));
  EXPECT_EQ(urgent->line().hear(900), 'h') << "before the other has computed for as long as it does";
  EXPECT_TRUE(comes_true([&] { return sections() == 1; }));
}

}  // namespace
}  // namespace samcl
