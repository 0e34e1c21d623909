// Whoever makes a more urgent task wait runs at its priority until it gives back what is waited for: on one
// CPU, beside a program that computes at a priority between the two.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "sam-manager/daemon/thread_scheduling.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using daemon::scheduling_of;
using lease::ResourceKind;
using testing::Child;
using testing::comes_true;
using testing::Daemon;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kMiddle = 20, kUrgent = 40;

void run_on_one_cpu(int priority) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
  if (priority > 0) daemon::set_scheduling(0, daemon::fifo(priority));
}

void compute_for(milliseconds time) {
  timespec now{};
  const auto used = [&now] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::nanoseconds(now.tv_sec * 1'000'000'000LL + now.tv_nsec);
  };
  while (used() < time) continue;
}

bool is_lent(pid_t thread, int priority) {
  const auto now = scheduling_of(thread);
  return now && now->policy == SCHED_FIFO && now->priority == static_cast<uint32_t>(priority);
}

struct LendingTest : ::testing::Test {
  testing::UrgentObserver observer;
  Daemon daemon;

  void SetUp() override {
    if (!observer.works()) GTEST_SKIP() << "no real-time priorities on this system";
    ASSERT_TRUE(daemon.start());
    ASSERT_EQ(daemon.register_task("urgent", kUrgent), "");
  }

  // One that holds GPU 0 and, once told to ('g'), computes before it gives it back.
  std::unique_ptr<Child> start_holder() {
    auto holder = std::make_unique<Child>([this](const Child::Line& line) {
      setpriority(PRIO_PROCESS, 0, 7);
      const auto client = daemon.connect();
      if (!client) return 1;
      run_on_one_cpu(0);
      client->acquire(ResourceKind::gpu, 0);
      line.say('h');
      if (line.hear(60'000) != 'g') return 2;
      compute_for(milliseconds(30));
      client->release(ResourceKind::gpu, 0);
      line.say('f');
      line.hear(60'000);
      return 0;
    });
    EXPECT_EQ(holder->line().hear(), 'h');
    return holder;
  }

  std::unique_ptr<Child> start_waiter() {
    auto waiter = testing::start_waiter(daemon, "urgent");
    EXPECT_TRUE(waiter);
    return waiter;
  }

  pid_t loan_watchdog() const {
    pid_t process = 0;
    std::ifstream("/proc/" + std::to_string(daemon.pid()) + "/task/" + std::to_string(daemon.pid()) + "/children") >>
        process;
    return process;
  }
};

TEST_F(LendingTest, MiddleHogDoesNotKeepTheHolderFromItsRelease) {
  struct Shared {
    std::atomic<bool> hog_runs, hog_ended;
  };
  auto* shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
  const auto holder = start_holder();
  Child hog([&](const Child::Line& line) {
    run_on_one_cpu(kMiddle);
    line.say('r');
    line.hear(60'000);
    shared->hog_runs = true;
    compute_for(milliseconds(600));
    shared->hog_ended = true;
    return 0;
  });
  Child urgent([&](const Child::Line& line) {
    const auto client = daemon.connect("urgent");
    if (!client) return 1;
    run_on_one_cpu(kUrgent);
    line.say('r');
    line.hear(60'000);
    client->acquire(ResourceKind::gpu, 0);
    const bool in_time = shared->hog_runs && !shared->hog_ended;
    client->release(ResourceKind::gpu, 0);
    line.say(in_time ? 'y' : 'n');
    line.hear(60'000);
    return 0;
  });
  ASSERT_EQ(hog.line().hear(), 'r');
  ASSERT_EQ(urgent.line().hear(), 'r');
  hog.line().say('g');
  ASSERT_TRUE(comes_true([&] { return shared->hog_runs.load(); }));
  holder->line().say('g');  // it is awake, and does not get the CPU
  urgent.line().say('g');
  EXPECT_EQ(urgent.line().hear(20'000), 'y') << "it waited until the hog had ended";
  EXPECT_EQ(holder->line().hear(20'000), 'f');
  ASSERT_TRUE(comes_true([&] { return scheduling_of(holder->pid())->policy == SCHED_OTHER; }));
  EXPECT_EQ(scheduling_of(holder->pid())->nice, 7) << "as it was";
}

TEST_F(LendingTest, LastsFromTheWaitToTheRelease) {
  const auto holder = start_holder();
  const auto before = scheduling_of(holder->pid());
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder->pid(), kUrgent); }));
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["lent_priority"], kUrgent);
  holder->line().say('g');
  EXPECT_EQ(waiter->line().hear(), 'h');
  EXPECT_TRUE(comes_true([&] { return scheduling_of(holder->pid()) == before; }));
  EXPECT_TRUE(daemon.status()["resources"][0]["holder"]["lent_priority"].is_null());
}

TEST_F(LendingTest, EndsWithTheWaiter) {
  const auto holder = start_holder();
  const auto before = scheduling_of(holder->pid());
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder->pid(), kUrgent); }));
  waiter->kill_hard();
  EXPECT_TRUE(comes_true([&] { return scheduling_of(holder->pid()) == before; }));
}

TEST_F(LendingTest, EndsForOneThatNeverGivesBack) {
  const auto holder = start_holder();
  const auto before = scheduling_of(holder->pid());
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder->pid(), kUrgent); }));
  EXPECT_TRUE(comes_true([&] { return scheduling_of(holder->pid()) == before; }));
  EXPECT_TRUE(daemon.wait_for_waiters(0, 1)) << "though others wait still";
}

TEST_F(LendingTest, EndsWithExec) {
  Child holder([this](const Child::Line& line) {
    const auto client = daemon.connect();
    if (!client) return 1;
    client->acquire(ResourceKind::gpu, 0);
    line.say('h');
    if (line.hear(60'000) != 'g') return 2;
    execlp("sleep", "sleep", "60", nullptr);
    return 3;
  });
  ASSERT_EQ(holder.line().hear(), 'h');
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder.pid(), kUrgent); }));
  holder.line().say('g');
  EXPECT_EQ(waiter->line().hear(), 'h');
  EXPECT_TRUE(comes_true([&] { return scheduling_of(holder.pid())->policy == SCHED_OTHER; }));
}

TEST_F(LendingTest, EndsWithTheManagerThatIsKilled) {
  const auto holder = start_holder();
  const auto before = scheduling_of(holder->pid());
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder->pid(), kUrgent); }));
  daemon.stop(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return scheduling_of(holder->pid()) == before; }));
}

TEST_F(LendingTest, EndsWithTheNextManagerIfAllOfTheOneBeforeWasKilled) {
  const auto holder = start_holder();
  const auto before = scheduling_of(holder->pid());
  const auto waiter = start_waiter();
  EXPECT_TRUE(comes_true([&] { return is_lent(holder->pid(), kUrgent); }));
  ASSERT_GT(loan_watchdog(), 0);
  kill(loan_watchdog(), SIGKILL);
  daemon.stop(SIGKILL);
  ASSERT_TRUE(is_lent(holder->pid(), kUrgent));
  ASSERT_TRUE(daemon.start());
  EXPECT_EQ(scheduling_of(holder->pid()), before);
}

}  // namespace
}  // namespace samcl
