// Programs without deadlines share what real-time tasks leave by weight, as processes under a daemon.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::ResourceKind;
using testing::Child;
using testing::Daemon;
using ::testing::HasSubstr;
using testing::kMs;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

struct SharesTest : ::testing::Test {
  struct Shared {
    std::array<std::atomic<uint64_t>, 8> held_ns, leases;
  };
  Daemon daemon;
  Shared& shared =
      *new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
  std::vector<std::unique_ptr<Child>> children;

  void SetUp() override { ASSERT_TRUE(daemon.start()); }
  ~SharesTest() override { munmap(&shared, sizeof shared); }

  std::string register_task(const std::string& task, uint32_t weight) {
    const auto answer = daemon.ask({{"ask", "register"}, {"task", {{"name", task}, {"weight", weight}}}});
    return answer ? "" : answer.error().message;
  }

  // One that has always something to do, in sections, and gives way between them when it is told to.
  void start(const std::string& task, microseconds section) {
    const size_t place = children.size();
    children.push_back(std::make_unique<Child>([this, task, section, place](const Child::Line& line) {
      const auto client = daemon.connect(task);
      if (!client) return 1;
      line.say('c');
      if (line.hear(60'000) != 'g') return 2;
      while (true) {
        client->acquire(ResourceKind::gpu, 0);
        const auto begin = Clock::now();
        do std::this_thread::sleep_for(section);
        while (!client->revoke_requested(ResourceKind::gpu, 0) && !client->is_wanted(ResourceKind::gpu, 0));
        shared.held_ns[place] += static_cast<uint64_t>((Clock::now() - begin) / std::chrono::nanoseconds(1));
        ++shared.leases[place];
        client->release(ResourceKind::gpu, 0);
      }
    }));
    ASSERT_EQ(children.back()->line().hear(), 'c');
  }

  void run_for(milliseconds time) {
    for (const auto& child : children) child->line().say('g');
    std::this_thread::sleep_for(time);
    for (const auto& child : children) child->kill_hard();
  }

  double share(size_t place) const {
    uint64_t all = 0;
    for (const auto& held : shared.held_ns) all += held;
    return static_cast<double>(shared.held_ns[place]) / static_cast<double>(all);
  }
};

TEST_F(SharesTest, TimeIsByWeight) {
  ASSERT_EQ(register_task("heavy", 3), "");
  start("heavy", microseconds(500));
  start("", microseconds(500));
  run_for(milliseconds(3000));
  EXPECT_NEAR(share(0), 0.75, 0.08);
}

TEST_F(SharesTest, NobodyIsStarvedByLongSections) {
  start("", microseconds(200));
  start("", microseconds(4000));
  start("", microseconds(1000));
  run_for(milliseconds(3000));
  for (size_t place = 0; place < 3; ++place) {
    EXPECT_NEAR(share(place), 1.0 / 3, 0.08) << place;
    EXPECT_GT(shared.leases[place], 50u) << place;
  }
}

TEST_F(SharesTest, WeightIsShownAndChangedAndHasNoDeadlineBesideIt) {
  ASSERT_EQ(register_task("batch", 3), "");
  EXPECT_THAT(register_task("none", 1001), HasSubstr("weight: expected an integer, 1 to 1000"));
  const auto client = daemon.connect("batch");
  EXPECT_EQ(daemon.status()["programs"][0]["weight"], 3);
  ASSERT_TRUE(daemon.ask({{"ask", "set"}, {"name", "batch"}, {"changes", {{"weight", 5}}}}));
  EXPECT_EQ(daemon.status()["programs"][0]["weight"], 5);
  const auto wrong = daemon.ask({{"ask", "set"}, {"name", "batch"}, {"changes", {{"period_ns", kMs}}}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("task \"batch\": period_ns: a task with a weight has no deadline"));
  EXPECT_EQ(daemon.ask({{"ask", "list"}}).value()["tasks"][0]["period_ns"], nullptr);
}

TEST_F(SharesTest, RealTimeTaskWaitsForOneSection) {
  ASSERT_EQ(register_task("heavy", 1000), "");
  ASSERT_EQ(daemon.register_task("urgent", 0), "");
  const auto heavy = daemon.connect("heavy");
  heavy->acquire(ResourceKind::gpu, 0);
  const auto other = testing::start_waiter(daemon);
  ASSERT_TRUE(other);
  const auto urgent = testing::start_waiter(daemon, "urgent", 2);
  ASSERT_TRUE(urgent);
  EXPECT_TRUE(heavy->revoke_requested(ResourceKind::gpu, 0));
  EXPECT_TRUE(heavy->is_wanted(ResourceKind::gpu, 0));
  heavy->release(ResourceKind::gpu, 0);
  EXPECT_EQ(urgent->line().hear(), 'h');
  urgent->line().say('r');
  EXPECT_EQ(other->line().hear(), 'h');
}

}  // namespace
}  // namespace samcl
