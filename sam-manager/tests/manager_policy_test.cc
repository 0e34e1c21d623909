// What an administrator decides at run time or in the configuration: by which policy devices are granted, how
// much memory tasks may reserve, and what becomes of jobs that come too early. As processes under a daemon.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <thread>

#include "sam-manager/protocol/descriptor.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::ResourceKind;
using testing::Child;
using testing::Daemon;
using ::testing::HasSubstr;
using testing::kMs;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kGiB = uint64_t{1} << 30;

struct PolicyTest : ::testing::Test {
  Daemon daemon;
  void start(const std::string& configuration = "") { ASSERT_TRUE(daemon.start_configured(configuration)); }

  std::string use(const std::string& policy) const {
    const auto answer = daemon.ask({{"ask", "policy"}, {"name", policy}});
    return answer ? "" : answer.error().message;
  }

  // Who gets GPU 0 after one that has it: "first" asked before "second", which has the higher priority and
  // the later deadline.
  std::string next_owner() const {
    const auto holder = testing::start_taker(daemon, "holder");
    const auto first = testing::start_taker(daemon, "first"), second = testing::start_taker(daemon, "second");
    holder->line().say('t');
    EXPECT_EQ(holder->line().hear(), 'h');
    first->line().say('t');
    EXPECT_TRUE(daemon.wait_for_waiters(0, 1));
    second->line().say('t');
    EXPECT_TRUE(daemon.wait_for_waiters(0, 2));
    holder->line().say('r');
    EXPECT_EQ(holder->line().hear(), 'f');
    const std::string owner = daemon.status()["resources"][0]["holder"]["task"];
    return owner;
  }
};

TEST_F(PolicyTest, OrderIsThatOfThePolicyInForce) {
  start();
  ASSERT_EQ(daemon.register_task("holder", 50, 0, {}, 10'000 * kMs), "");
  ASSERT_EQ(daemon.register_task("first", 10, 0, {}, 1'000 * kMs), "");
  ASSERT_EQ(daemon.register_task("second", 20, 0, {}, 60'000 * kMs), "");
  EXPECT_EQ(daemon.status()["policy"], "fixed-priority");
  EXPECT_EQ(next_owner(), "second");
  for (const char* policy : {"fmlp-long", "edf"}) {
    ASSERT_EQ(use(policy), "");
    EXPECT_EQ(daemon.status()["policy"], policy);
    EXPECT_EQ(next_owner(), "first") << policy;
  }
  ASSERT_EQ(use("fixed-priority"), "");
  EXPECT_EQ(next_owner(), "second");
}

// From then on this process's monotonic clock is behind everybody else's by half of what it showed, as in a container
// that was restored elsewhere.
bool fall_behind() {
  if (unshare(CLONE_NEWTIME) != 0) return false;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::ofstream("/proc/self/timens_offsets") << "monotonic " << -now.tv_sec / 2 << " 0";
  const protocol::Descriptor names(open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC));
  return setns(names.get(), CLONE_NEWTIME) == 0;
}

TEST_F(PolicyTest, JobThatClaimsToHaveBegunLongAgoGainsNothing) {
  start("policy = 'edf'");
  ASSERT_EQ(daemon.register_task("honest", 10, 0, {}, 1'000 * kMs), "");
  ASSERT_EQ(daemon.register_task("behind", 20, 0, {}, 60'000 * kMs), "");
  const auto holder = testing::start_holder(daemon);
  ASSERT_TRUE(holder);
  const Child behind([&](const Child::Line& line) {
    if (!fall_behind()) return line.say('n'), 1;
    const auto client = daemon.connect("behind");
    if (!client) return 1;
    line.say('c');
    client->job_began();
    client->acquire(ResourceKind::gpu, 0);
    return line.hear() ? 0 : 1;
  });
  const char said = behind.line().hear();
  if (said == 'n') GTEST_SKIP() << "no time namespace can be made here";
  ASSERT_EQ(said, 'c');
  ASSERT_TRUE(daemon.wait_for_waiters(0, 1));
  const auto honest = testing::start_waiter(daemon, "honest", 2);
  ASSERT_TRUE(honest);
  holder->line().say('r');
  ASSERT_EQ(holder->line().hear(), 'f');
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["task"], "honest");
}

TEST_F(PolicyTest, OwnerIsAskedToGiveWayWhereThePolicySaysSo) {
  start("policy = 'fmlp-long'");
  ASSERT_EQ(daemon.register_task("low", 10), "");
  ASSERT_EQ(daemon.register_task("high", 20), "");
  const auto low = daemon.connect("low");
  low->acquire(ResourceKind::gpu, 0);
  const auto high = testing::start_waiter(daemon, "high");
  ASSERT_TRUE(high);
  EXPECT_FALSE(low->revoke_requested(ResourceKind::gpu, 0));
  ASSERT_EQ(use("fixed-priority"), "");
  EXPECT_TRUE(low->revoke_requested(ResourceKind::gpu, 0)) << "also for those who wait already";
  low->release(ResourceKind::gpu, 0);
  EXPECT_EQ(high->line().hear(), 'h');
}

TEST_F(PolicyTest, UnknownPolicyIsRefusedAndTheOldOneStays) {
  start();
  EXPECT_EQ(
      use("lottery"),
      "there is no policy \"lottery\": expected one of fixed-priority, edf, fmlp-long, omlp, k-exclusion, containers");
  EXPECT_EQ(daemon.status()["policy"], "fixed-priority");
}

// A program of that task whose job begins on 'b' and says which GPU it got ('0', '1'), and ends on 'e' ('f').
std::unique_ptr<Child> start_job_taker(const Daemon& daemon, const std::string& task) {
  auto child = std::make_unique<Child>([&daemon, task](const Child::Line& line) {
    const auto client = daemon.connect(task);
    if (!client) return 1;
    client->attach_thread(getpid());
    line.say('c');
    while (true) {
      switch (line.hear(60'000)) {
        case 'b':
          client->job_began();
          client->await_gpu();
          line.say(static_cast<char>('0' + client->assignment().devices.at(0)));
          break;
        case 'e':
          client->job_ended(kMs);
          line.say('f');
          break;
        default: return 0;
      }
    }
  });
  return child->line().hear() == 'c' ? std::move(child) : nullptr;
}

bool has_real_time_priorities() {
  sched_param one{}, ordinary{};
  one.sched_priority = 1;
  return sched_setscheduler(0, SCHED_FIFO, &one) == 0 && sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0;
}

struct OwnGpuTest : PolicyTest {
  // What the status says of jobs on the n-th device.
  nlohmann::json jobs_on(size_t device) const { return daemon.status()["resources"][4 + device]; }

  bool wait_for_job(const std::string& task) const {
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < until) {
      for (const size_t device : {0u, 1u}) {
        const nlohmann::json jobs = jobs_on(device);
        for (const auto& waiting : jobs["waiting"])
          if (waiting["task"] == task) return true;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  std::vector<std::unique_ptr<Child>> start_three() {
    std::vector<std::unique_ptr<Child>> children;
    for (const auto& [task, priority, deadline_ms] :
         {std::tuple{"one", 10, 60'000}, {"two", 20, 60'000}, {"three", 30, 1'000}}) {
      EXPECT_EQ(daemon.register_task(task, priority, 0, {}, deadline_ms * kMs), "");
      children.push_back(start_job_taker(daemon, task));
    }
    return children;
  }
};

// Threads are in the order of their jobs' deadlines: the earliest has the highest priority of the tasks'.
TEST_F(OwnGpuTest, UnderEdfThreadsRunByDeadlineToo) {
  start("policy = 'edf'");
  ASSERT_EQ(daemon.register_task("short", 10, 0, {}, 1'000 * kMs), "");
  ASSERT_EQ(daemon.register_task("long", 20, 0, {}, 60'000 * kMs), "");
  const auto soon = start_job_taker(daemon, "short"), later = start_job_taker(daemon, "long");
  const auto priorities = [&] {
    return std::pair(daemon.program("short")["thread_priority"].get<int>(),
                     daemon.program("long")["thread_priority"].get<int>());
  };
  EXPECT_EQ(daemon.status()["threads"], "by deadline");
  EXPECT_EQ(priorities(), std::pair(19, 20)) << "no job: as their tasks are";
  soon->line().say('b');
  EXPECT_EQ(soon->line().hear(), '0');
  EXPECT_EQ(priorities(), std::pair(20, 19));
  if (has_real_time_priorities()) {
    sched_param now{};
    EXPECT_EQ(sched_getscheduler(soon->pid()), SCHED_FIFO | SCHED_RESET_ON_FORK);
    EXPECT_EQ(sched_getparam(soon->pid(), &now), 0);
    EXPECT_EQ(now.sched_priority, 20);
  }
  later->line().say('b');
  EXPECT_NE(later->line().hear(), '\0');
  EXPECT_EQ(priorities(), std::pair(20, 19)) << "its deadline is later";
  soon->line().say('e');
  EXPECT_EQ(soon->line().hear(), 'f');
  const auto until = Clock::now() + std::chrono::seconds(5);
  while (Clock::now() < until && priorities() != std::pair(19, 20)) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(priorities(), std::pair(19, 20)) << "it has no job any more";
  ASSERT_EQ(use("fixed-priority"), "");
  EXPECT_EQ(priorities(), std::pair(10, 20));
}

TEST_F(OwnGpuTest, AnyTwoOfThreeJobsHaveOneEach) {
  start("policy = 'k-exclusion'\ncpus = 4");
  const auto jobs = start_three();
  for (const size_t i : {0u, 1u}) {
    jobs[i]->line().say('b');
    EXPECT_EQ(jobs[i]->line().hear(), static_cast<char>('0' + i)) << "the one that is free";
  }
  EXPECT_EQ(jobs_on(1)["kind"], "job");
  EXPECT_EQ(jobs_on(1)["holder"]["task"], "two");
  EXPECT_EQ(daemon.program("two")["devices"], nlohmann::json({"b"}));
  jobs[2]->line().say('b');
  ASSERT_TRUE(wait_for_job("three"));
  EXPECT_EQ(daemon.program("one")["lent_priority"], 30) << "it is in front";
  jobs[0]->line().say('e');
  EXPECT_EQ(jobs[0]->line().hear(), 'f');
  EXPECT_EQ(jobs[2]->line().hear(), '0');
  EXPECT_EQ(daemon.program("one")["lent_priority"], nullptr);
  jobs[0]->line().say('b');
  ASSERT_TRUE(wait_for_job("one"));
  jobs[2]->kill_hard();
  EXPECT_EQ(jobs[0]->line().hear(), '0') << "who had it died";
}

TEST_F(OwnGpuTest, ADonorWaitsUntilItsDoneeIsDone) {
  start("policy = 'k-exclusion'\ncpus = 1");
  ASSERT_EQ(daemon.register_task("early", 30, 0, {}, 1'000 * kMs), "");
  const auto jobs = start_three();
  const auto early = start_job_taker(daemon, "early");
  jobs[0]->line().say('b');
  ASSERT_EQ(jobs[0]->line().hear(), '0');
  early->line().say('b');  // with an earlier deadline, and one CPU
  ASSERT_TRUE(wait_for_job("early")) << "though GPU 1 is free";
  EXPECT_EQ(daemon.program("one")["lent_priority"], 30);
  jobs[0]->line().say('e');
  EXPECT_THAT(early->line().hear(), ::testing::AnyOf('0', '1'));
}

TEST_F(OwnGpuTest, ContainersServeByDeadlineOnTheirOwnCpu) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one CPU";
  start("policy = 'containers'");
  std::vector<std::unique_ptr<Child>> jobs;
  const auto add = [&](const char* task, int priority, const char* device, uint64_t deadline_ns) {
    EXPECT_EQ(daemon.register_task(task, priority, 0, {device}, deadline_ns), "");
    jobs.push_back(start_job_taker(daemon, task));
  };
  add("running", 10, "a", 60'000 * kMs);
  add("late", 30, "a", 50'000 * kMs);
  add("early", 20, "a", 10'000 * kMs);
  add("elsewhere", 5, "b", 60'000 * kMs);
  const auto cpus = [&](size_t job) {
    cpu_set_t now;
    EXPECT_EQ(sched_getaffinity(jobs[job]->pid(), sizeof now, &now), 0);
    return now;
  };
  const cpu_set_t one = cpus(0), same = cpus(1), other = cpus(3);
  EXPECT_EQ(CPU_COUNT(&one), 1);
  EXPECT_TRUE(CPU_EQUAL(&one, &same));
  EXPECT_EQ(CPU_COUNT(&other), 1);
  EXPECT_FALSE(CPU_EQUAL(&one, &other));
  jobs[0]->line().say('b');
  EXPECT_EQ(jobs[0]->line().hear(), '0');
  jobs[1]->line().say('b');
  ASSERT_TRUE(wait_for_job("late"));
  jobs[2]->line().say('b');
  ASSERT_TRUE(wait_for_job("early"));
  jobs[3]->line().say('b');
  EXPECT_EQ(jobs[3]->line().hear(), '1') << "another container";
  EXPECT_EQ(daemon.program("running")["lent_priority"], 30);
  jobs[0]->line().say('e');
  EXPECT_EQ(jobs[2]->line().hear(), '0') << "the earlier deadline";
  EXPECT_EQ(jobs_on(0)["waiting"][0]["task"], "late");
  ASSERT_EQ(use("fixed-priority"), "");
  EXPECT_EQ(jobs[1]->line().hear(), '0');
  const cpu_set_t again = cpus(0);
  EXPECT_TRUE(CPU_EQUAL(&again, &all));
}

TEST_F(OwnGpuTest, StoppedJobLosesItsGpuAndAChangeOfThePolicyFreesAll) {
  start("policy = 'k-exclusion'\ncpus = 4");
  const auto jobs = start_three();
  for (const size_t i : {0u, 1u}) {
    jobs[i]->line().say('b');
    ASSERT_NE(jobs[i]->line().hear(), '\0');
  }
  jobs[2]->line().say('b');
  ASSERT_TRUE(wait_for_job("three"));
  kill(jobs[0]->pid(), SIGSTOP);
  EXPECT_EQ(jobs[2]->line().hear(10'000), '0');
  kill(jobs[0]->pid(), SIGCONT);
  jobs[0]->line().say('e');
  EXPECT_EQ(jobs[0]->line().hear(), 'f');
  jobs[0]->line().say('b');
  ASSERT_TRUE(wait_for_job("one"));
  ASSERT_EQ(use("edf"), "");
  EXPECT_NE(jobs[0]->line().hear(), '\0') << "nobody waits any more";
  EXPECT_EQ(daemon.status()["resources"].size(), 4u);
}

TEST_F(PolicyTest, MemoryThatIsNotThereIsNotReserved) {
  start("device_memory = '8GiB'");
  const auto program = daemon.connect();  // so that there are devices
  const auto reserve = [&](const std::string& task, uint64_t bytes) -> std::string {
    const auto answer =
        daemon.ask({{"ask", "register"}, {"task", {{"name", task}, {"weight", 1}, {"memory_bytes", bytes}}}});
    return answer ? "" : answer.error().message;
  };
  ASSERT_EQ(reserve("one", 5 * kGiB), "");
  EXPECT_EQ(reserve("two", 4 * kGiB),
            "not admitted, nothing was changed: device \"a\" has 8 GiB of memory, and 9 GiB would be "
            "reserved there: "
            "5 GiB by \"one\", 4 GiB by \"two\"");
  EXPECT_EQ(reserve("two", 3 * kGiB), "");
  EXPECT_EQ(reserve("one", 5 * kGiB), "") << "its own place is not counted twice";
  EXPECT_EQ(daemon.status()["memory"][1]["bytes"], 8 * kGiB);
  EXPECT_EQ(daemon.status()["memory"][1]["reserved_bytes"], 8 * kGiB);
}

TEST_F(PolicyTest, ProgramsTellHowMuchMemoryThereIs) {
  start();
  const auto answer =
      daemon.ask({{"ask", "register"}, {"task", {{"name", "early"}, {"weight", 1}, {"memory_bytes", kGiB}}}});
  ASSERT_TRUE(answer);
  EXPECT_THAT((*answer)["doubts"].dump(), HasSubstr("nobody told yet how much memory"));
  const auto program = lease::Client::connect({daemon.instance(), "", 5000, 0, {2 * kGiB, 3 * kGiB}}, {"a", "b"});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(daemon.status()["memory"][1]["bytes"], 3 * kGiB);
  const auto more =
      daemon.ask({{"ask", "register"}, {"task", {{"name", "late"}, {"weight", 1}, {"memory_bytes", 2 * kGiB}}}});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("device \"a\" has 2 GiB of memory, and 3 GiB"));
}

TEST_F(PolicyTest, ProgramWithMoreMemoryThanItsTaskReservedIsDemotedUntilItHasLess) {
  start("overrun = 'demote'\ndevice_memory = '8GiB'");
  const auto answer = daemon.ask(
      {{"ask", "register"},
       {"task",
        {{"name", "camera"}, {"priority", 30}, {"period_ns", kMs}, {"deadline_ns", kMs}, {"memory_bytes", 2 * kGiB}}}});
  ASSERT_TRUE(answer) << answer.error().message;
  const auto camera = daemon.connect("camera");
  const auto is_demoted = [&](bool expected) {
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < until && daemon.program("camera")["demoted"] != expected)
      std::this_thread::sleep_for(milliseconds(20));
    return daemon.program("camera")["demoted"] == true;
  };
  camera->memory_changed(1, 2 * kGiB);
  camera->memory_changed(0, kGiB);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // in which it is looked at
  EXPECT_FALSE(is_demoted(false)) << "as much as reserved, on each";
  EXPECT_EQ(daemon.status()["memory"][1]["used_bytes"], 2 * kGiB);
  camera->memory_changed(1, 1);
  EXPECT_TRUE(is_demoted(true));
  EXPECT_EQ(daemon.program("camera")["memory_used_bytes"], 2 * kGiB + 1);
  EXPECT_EQ(daemon.program("camera")["overruns"]["memory"], 1);
  camera->memory_changed(1, -1);
  EXPECT_FALSE(is_demoted(false));
}

TEST_F(PolicyTest, ProgramsOfNoTaskGiveBackWhatATaskReservedBeforeItBegins) {
  start("device_memory = '8GiB'");
  const auto hog = daemon.connect();
  hog->memory_changed(0, 7 * kGiB);
  EXPECT_EQ(hog->memory_limit(0), 0u);
  const auto answer = daemon.ask({{"ask", "register"},
                                  {"task",
                                   {{"name", "camera"},
                                    {"priority", 30},
                                    {"period_ns", kMs},
                                    {"deadline_ns", kMs},
                                    {"devices", {"a"}},
                                    {"gpus", 1},
                                    {"memory_bytes", 3 * kGiB}}}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(hog->memory_limit(0), 0u) << "its program does not run";
  std::atomic<bool> gave_back = false;
  std::thread giving([&] {
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (hog->memory_limit(0) == 0 && Clock::now() < until) hog->wait_for_memory_limit(1000);
    std::this_thread::sleep_for(milliseconds(50));
    gave_back = true;
    hog->memory_changed(0, -static_cast<int64_t>(2 * kGiB));
  });
  auto camera = daemon.connect("camera");
  EXPECT_TRUE(gave_back) << "who reserved it waits for it";
  giving.join();
  EXPECT_EQ(hog->memory_limit(0), 5 * kGiB);
  EXPECT_EQ(hog->memory_limit(1), 0u) << "the task does not use it";
  EXPECT_EQ(camera->memory_limit(0), 0u);
  EXPECT_EQ(daemon.program("")["memory_limit_bytes"], 5 * kGiB);
  camera.reset();
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (hog->memory_limit(0) != 0 && Clock::now() < until) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(hog->memory_limit(0), 0u);
}

TEST_F(PolicyTest, EarlyJobIsLessUrgentUntilItsPeriodBegins) {
  start("early_jobs = 'throttle'");
  ASSERT_EQ(daemon.register_task("greedy", 30, 0, {}, 3'000 * kMs), "");
  const auto holder = testing::start_taker(daemon);
  const auto greedy = daemon.connect("greedy");
  for (const bool is_early : {false, true}) {
    holder->line().say('t');
    ASSERT_EQ(holder->line().hear(), 'h');
    greedy->job_began();
    std::thread job([&] { const lease::Lease gpu(greedy.get(), ResourceKind::gpu, 0); });
    EXPECT_TRUE(daemon.wait_for_waiters(0, 1));
    EXPECT_EQ(daemon.program("greedy")["demoted"], is_early);
    holder->line().say('r');
    EXPECT_EQ(holder->line().hear(), 'f');
    job.join();
    greedy->job_ended(kMs);
  }
  EXPECT_EQ(daemon.program("greedy")["overruns"]["throttled_jobs"], 1);
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (Clock::now() < until && daemon.program("greedy")["demoted"] == true)
    std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(daemon.program("greedy")["demoted"], false);
  EXPECT_EQ(daemon.program("greedy")["priority"], 30);
}

}  // namespace
}  // namespace samcl
