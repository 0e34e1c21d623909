// What programs do while their daemon is gone or does not move, and when one comes back.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::Lease;
using lease::ResourceKind;
using testing::Child;
using testing::Daemon;
using testing::finds_daemon;
using testing::kGpu;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kBound = 10s;  // of everything that is to be bounded; generous, for busy machines

struct RestartTest : ::testing::Test {
  Daemon daemon;
  void SetUp() override { ASSERT_TRUE(daemon.start()); }

  void restart(int signal) {
    daemon.stop(signal);
    ASSERT_TRUE(daemon.start());
  }

  std::unique_ptr<Child> start_taker(const std::string& task = "") {
    auto child = testing::start_taker(daemon, task);
    EXPECT_TRUE(child);
    return child;
  }

  static char ask(const Child& child, char letter) {
    child.line().say(letter);
    return child.line().hear(20'000);
  }
};

struct EveryEnd : RestartTest, ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, EveryEnd, ::testing::Values(SIGTERM, SIGKILL));

TEST_P(EveryEnd, HoldersAndWaitersGoOnWithoutADaemon) {
  const auto holder = testing::start_holder(daemon);
  ASSERT_TRUE(holder);
  const auto first = start_taker();
  const auto second = start_taker();
  first->line().say('t');
  second->line().say('t');
  ASSERT_TRUE(daemon.wait_for_waiters(0, 2));
  daemon.stop(GetParam());
  EXPECT_EQ(first->line().hear(10'000), 'h');
  EXPECT_EQ(second->line().hear(10'000), 'h');
  for (const auto* child : {&holder, &first, &second}) {
    EXPECT_EQ(ask(**child, 'r'), 'f');
    EXPECT_EQ(ask(**child, 't'), 'h') << "all at once: nobody is there to wait for";
  }
}

TEST_P(EveryEnd, ProgramIsOfItsTaskAgainUnderTheNextDaemon) {
  const auto client = daemon.connect("camera");
  ASSERT_TRUE(client);
  daemon.stop(GetParam());
  EXPECT_TRUE(GetParam() == SIGKILL || !client->managed());
  ASSERT_TRUE(daemon.start());
  ASSERT_EQ(daemon.register_task("camera", 30, 2), "");
  {
    const Lease gpu(client.get(), kGpu, 1);
    EXPECT_TRUE(client->managed());
    EXPECT_EQ(client->assignment().priority, 30);
    const auto status = daemon.status();
    ASSERT_THAT(status["programs"], SizeIs(1));
    EXPECT_EQ(status["programs"][0]["task"], "camera");
    EXPECT_EQ(status["resources"][2]["holder"]["pid"], getpid());
  }
  EXPECT_TRUE(daemon.status()["resources"][2]["holder"].is_null());
}

TEST_F(RestartTest, DaemonThatComesLateIsFound) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  daemon.stop(SIGTERM);
  for (int i = 0; i < 1000; ++i) const Lease gpu(client.get(), kGpu, 0);
  EXPECT_FALSE(client->managed());
  EXPECT_EQ(client->assignment().priority, 0);
  ASSERT_TRUE(daemon.start());
  EXPECT_TRUE(finds_daemon(*client));
}

TEST_F(RestartTest, LeaseOfTheOldDaemonIsNoneOfTheNewOne) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  client->acquire(kGpu, 0);
  restart(SIGKILL);
  const auto other = start_taker();
  EXPECT_EQ(ask(*other, 't'), 'h');
  client->release(kGpu, 0);
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["pid"], other->pid()) << "not ours to give back";
  EXPECT_EQ(ask(*other, 'r'), 'f');
  const Lease gpu(client.get(), kGpu, 0);
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["pid"], getpid());
}

TEST_F(RestartTest, ThreadsAreAdoptedAgain) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  client->attach_thread(getpid());
  std::thread([&] {
    client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
    EXPECT_EQ(daemon.status()["programs"][0]["threads"], 2);
  }).join();
  restart(SIGKILL);
  ASSERT_TRUE(finds_daemon(*client));
  EXPECT_EQ(daemon.status()["programs"][0]["threads"], 1) << "the thread that lives";
}

TEST_F(RestartTest, AdoptedThreadGetsThePriorityThatHoldsNow) {
  sched_param one{};
  one.sched_priority = 1;
  sched_param ordinary{};
  if (sched_setscheduler(0, SCHED_FIFO, &one) != 0) GTEST_SKIP() << "no real-time priorities on this system";
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  const auto priority_is = [](int expected) {
    for (const auto start = Clock::now(); Clock::now() - start < kBound; std::this_thread::sleep_for(2ms)) {
      sched_param present{};
      sched_getparam(0, &present);
      if (present.sched_priority == expected) return true;
    }
    return false;
  };
  ASSERT_EQ(daemon.register_task("urgent", 12), "");
  const auto client = daemon.connect("urgent");
  ASSERT_TRUE(client);
  client->attach_thread(getpid());
  EXPECT_TRUE(priority_is(12));
  daemon.stop(SIGKILL);
  ASSERT_TRUE(daemon.start());
  ASSERT_EQ(daemon.register_task("urgent", 13), "");
  ASSERT_TRUE(finds_daemon(*client));
  EXPECT_TRUE(priority_is(13));
  restart(SIGKILL);  // it knows no tasks
  ASSERT_TRUE(finds_daemon(*client));
  EXPECT_TRUE(priority_is(0));
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
}

TEST_F(RestartTest, WaiterOfADaemonThatHangsGoesOn) {
  const auto holder = testing::start_holder(daemon);
  ASSERT_TRUE(holder);
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  kill(daemon.pid(), SIGSTOP);
  auto start = Clock::now();
  client->acquire(kGpu, 0);
  EXPECT_LT(Clock::now() - start, kBound);
  EXPECT_FALSE(client->managed());
  client->release(kGpu, 0);
  start = Clock::now();
  for (int i = 0; i < 10'000; ++i) const Lease gpu(client.get(), kGpu, i % 2);
  EXPECT_LT(Clock::now() - start, kBound) << "it is not asked again while it hangs";
  EXPECT_FALSE(client->managed());

  kill(daemon.pid(), SIGCONT);
  EXPECT_EQ(ask(*holder, 'r'), 'f');
  EXPECT_TRUE(finds_daemon(*client));
  EXPECT_EQ(ask(*holder, 'm'), 'y');
  EXPECT_THAT(daemon.status()["programs"], SizeIs(2));
  const Lease gpu(client.get(), kGpu, 0);
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["pid"], getpid());
}

TEST_F(RestartTest, DaemonThatOnlyPausesKeepsItsPrograms) {
  const auto holder = testing::start_holder(daemon);
  ASSERT_TRUE(holder);
  const auto waiter = testing::start_waiter(daemon);
  ASSERT_TRUE(waiter);
  kill(daemon.pid(), SIGSTOP);
  EXPECT_EQ(waiter->line().hear(500), 0);
  kill(daemon.pid(), SIGCONT);
  EXPECT_EQ(ask(*holder, 'r'), 'f');
  EXPECT_EQ(waiter->line().hear(), 'h');
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["pid"], waiter->pid());
}

TEST_F(RestartTest, ForkedCopiesDoNotConnect) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  restart(SIGKILL);
  Child copy([&](const Child::Line&) {
    client->attach_thread(getpid());
    client->acquire(kGpu, 0);
    const bool managed = client->managed();
    client->release(kGpu, 0);
    return managed ? 1 : 0;
  });
  EXPECT_EQ(copy.join(), 0);
  EXPECT_THAT(daemon.status()["programs"], SizeIs(0));
  ASSERT_TRUE(finds_daemon(*client));
  Child second([&](const Child::Line&) {
    client->acquire(kGpu, 0);
    client->release(kGpu, 0);
    return client->managed() ? 1 : 0;
  });
  EXPECT_EQ(second.join(), 0);
  EXPECT_THAT(daemon.status()["programs"], SizeIs(1));
}

TEST_F(RestartTest, ProgramsUnderLoadSurviveManyDaemons) {
  constexpr int kProcesses = 3;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([this](const Child::Line& line) {
      const auto client = daemon.connect();
      if (!client) return 1;
      std::atomic<bool> stop = false;
      std::atomic<int> inside = 0;
      std::atomic<int> broken = 0;
      const auto work = [&] {
        while (!stop) {
          Lease gpu(client.get(), kGpu, 0);
          if (inside.fetch_add(1) != 0) ++broken;
          std::this_thread::sleep_for(50us);
          inside.fetch_sub(1);
          gpu.yield_if_revoked();
        }
      };
      std::thread one(work);
      std::thread two(work);
      line.say('c');
      line.hear(60'000);
      stop = true;
      one.join();
      two.join();
      if (broken != 0) return 2;
      if (!finds_daemon(*client)) return 3;
      line.say('m');
      line.hear(60'000);
      return 0;
    }));
  }
  for (const auto& child : children) ASSERT_EQ(child->line().hear(), 'c');
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(100ms);
    restart(i % 2 ? SIGKILL : SIGTERM);
  }
  for (const auto& child : children) child->line().say('s');
  for (const auto& child : children) EXPECT_EQ(child->line().hear(20'000), 'm');
  const auto status = daemon.status();
  EXPECT_THAT(status["programs"], SizeIs(kProcesses));
  EXPECT_TRUE(status["resources"][0]["holder"].is_null());
  for (const auto& child : children) child->line().say('e');
  for (const auto& child : children) EXPECT_EQ(child->join(), 0);
}

}  // namespace
}  // namespace samcl
