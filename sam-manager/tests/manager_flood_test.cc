// One who floods the daemon with requests keeps it neither from others nor from sleeping.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

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
    while (Clock::now() - begin < milliseconds(2000)) {
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
