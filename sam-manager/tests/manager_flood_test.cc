// One who floods the daemon with requests keeps it neither from others nor from sleeping.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "sam-manager/protocol/connection.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using protocol::Connection;
using testing::Child;
using testing::Daemon;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Seconds of CPU that a process has used.
double cpu_seconds(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  long user = 0, system = 0;
  rest >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// ns of CPU that the thread which grants has used, and all of the daemon.
double granting_ns(pid_t daemon) {
  const std::string process = std::to_string(daemon);
  double ns = 0;
  std::ifstream("/proc/" + process + "/task/" + process + "/schedstat") >> ns;
  return ns;
}

double milliseconds_of(const Daemon& daemon) {
  const auto begin = Clock::now();
  EXPECT_TRUE(daemon.status().is_object());
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct FloodTest : ::testing::Test {
  Daemon daemon;
  void SetUp() override { ASSERT_TRUE(daemon.start()); }
  void TearDown() override { EXPECT_EQ(daemon.stop(SIGTERM), 0) << "it lives to its end"; }

  // A process that calls `send` on a connection of its own as often as it can, from 'g' on.
  template <typename Send>
  std::unique_ptr<Child> flood(Send send) const {
    auto child = std::make_unique<Child>([this, send](const Child::Line& line) {
      auto connection = Connection::open(daemon.instance());
      if (!connection || !(*connection)->ask({{"ask", "hello"}, {"task", ""}, {"gpus", 0}, {"devices", {"a"}}}, 5000))
        return 1;
      line.say('y');
      while (true) send(**connection);
    });
    EXPECT_EQ(child->line().hear(), 'y');
    return child;
  }

  void expect_service() const {
    const double before = cpu_seconds(daemon.pid());
    const auto begin = Clock::now();
    std::vector<double> waits;
    while (Clock::now() - begin < milliseconds(1000)) {
      waits.push_back(milliseconds_of(daemon));
      usleep(20'000);
    }
    std::ranges::sort(waits);
    EXPECT_LT(waits[waits.size() / 2], 100);
    const std::chrono::duration<double> took = Clock::now() - begin;
    EXPECT_LT((cpu_seconds(daemon.pid()) - before) / took.count(), 0.5) << "of a CPU";
  }
};

TEST_F(FloodTest, OfSmallMessages) {
  const auto child = flood([](Connection& connection) {
    protocol::Message message;
    message.kind = protocol::MessageKind::attach_thread;
    message.tid = 1;
    connection.send(message, 1000);
  });
  expect_service();
}

TEST_F(FloodTest, OfQuestions) {
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 3; ++i) {
    children.push_back(std::make_unique<Child>([this](const Child::Line& line) {
      auto connection = Connection::open(daemon.instance());
      if (!connection) return 1;
      line.say('y');
      while (true) static_cast<void>((*connection)->ask({{"ask", "status"}}, 1000));
    }));
    EXPECT_EQ(children.back()->line().hear(), 'y');
  }
  expect_service();
}

// Where each of many programs is shown, what is shown is not the work of the thread that grants.
TEST_F(FloodTest, LongAnswersAreWrittenBesideGrants) {
  std::vector<std::unique_ptr<lease::Client>> programs;
  for (int i = 0; i < 200; ++i) programs.push_back(daemon.connect());
  for (const char* question : {"status", "list", "analysis"}) {
    const double before = granting_ns(daemon.pid()), all_before = cpu_seconds(daemon.pid());
    const int asked = std::string(question) == "status" ? 50 : 5;
    for (int i = 0; i < asked; ++i) ASSERT_TRUE(daemon.ask({{"ask", question}})) << question;
    const double granting = (granting_ns(daemon.pid()) - before) / 1e9, all = cpu_seconds(daemon.pid()) - all_before;
    if (std::string(question) == "status") {
      EXPECT_LT(granting, all / 3) << "seconds of CPU, of " << all << " in all";
    }
    EXPECT_LT(granting / asked, 0.002) << question;
  }
}

// Everybody may connect and ask: one user with as many connections as he may have, each asking all the time.
TEST_F(FloodTest, OfOneUserOnManyConnectionsDelaysNoGrant) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const auto holder = testing::start_taker(daemon), waiter = testing::start_taker(daemon);
  ASSERT_TRUE(holder && waiter);
  const auto passes = [&] {
    std::vector<double> waits;
    for (int i = 0; i < 100; ++i) {
      holder->line().say('t');
      EXPECT_EQ(holder->line().hear(), 'h');
      waiter->line().say('t');
      usleep(2'000);
      const auto begin = Clock::now();
      holder->line().say('r');
      EXPECT_EQ(waiter->line().hear(), 'h');
      waits.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      EXPECT_EQ(holder->line().hear(), 'f');
      waiter->line().say('r');
      EXPECT_EQ(waiter->line().hear(), 'f');
    }
    std::ranges::sort(waits);
    return waits;
  };
  // The part of a CPU that granting takes, while programs pass a device on.
  const auto expect_grants = [&](const char* beside) {
    const double before = granting_ns(daemon.pid());
    const auto begin = Clock::now();
    const auto waits = passes();
    const std::chrono::duration<double> took = Clock::now() - begin;
    const double used = (granting_ns(daemon.pid()) - before) / 1e9 / took.count();
    std::cout << "beside " << beside << ": half of the grants within " << waits[50] << " ms, the longest " << waits[99]
              << " ms; " << static_cast<int>(used * 100) << " % of a CPU\n";
    EXPECT_LT(waits[50], 20);
    EXPECT_LT(used, 0.5);
  };
  expect_grants("nobody");
  const auto as_stranger = [](int connections, const std::function<void(int)>& ask) {
    return std::make_unique<Child>([=](const Child::Line& line) {
      if (setgid(65534) != 0 || setuid(65534) != 0) return 1;
      std::vector<std::thread> threads;
      for (int i = 0; i < connections; ++i) threads.emplace_back(ask, i);
      line.say('y');
      for (auto& thread : threads) thread.join();
      return 0;
    });
  };
  {
    const auto asker = as_stranger(90, [this](int i) {
      static constexpr const char* kQuestions[] = {"status", "list", "analysis", "hello", "history", "dance"};
      const auto connection = Connection::open(daemon.instance());
      while (connection)
        static_cast<void>((*connection)->ask({{"ask", kQuestions[i % 6]}, {"name", "x"}, {"devices", {"a"}}}, 1000));
    });
    ASSERT_EQ(asker->line().hear(), 'y');
    usleep(300'000);
    expect_grants("90 who ask");
  }
  const auto comer = as_stranger(4, [this](int) {
    while (true) static_cast<void>(Connection::open(daemon.instance()));
  });
  ASSERT_EQ(comer->line().hear(), 'y');
  usleep(300'000);
  expect_grants("4 who come and go");
  const auto begin = Clock::now();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(daemon.connect()) << "others are let in";
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(FloodTest, WhoEndsWhileHeIsPausedIsForgotten) {
  auto child = flood([](Connection& connection) {
    protocol::Message message;
    message.kind = protocol::MessageKind::attach_thread;
    message.tid = 1;
    connection.send(message, 1000);
  });
  usleep(300'000);
  child->kill_hard();
  const auto begin = Clock::now();
  while (!daemon.status().at("programs").empty() && Clock::now() - begin < milliseconds(5000)) usleep(10'000);
  EXPECT_TRUE(daemon.status().at("programs").empty());
}

}  // namespace
}  // namespace samcl
