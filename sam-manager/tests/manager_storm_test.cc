// Programs that are killed in every state, all the time, while others go on. A short storm by default;
// SAMCL_STORM_SECONDS makes it longer, and SAMCL_SEED repeats one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::Lease;
using lease::ResourceKind;
using testing::Daemon;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kVictims = 4;  // at a time
constexpr auto kLongestSpell = 2s;

std::chrono::seconds storm_length() {
  const char* wanted = std::getenv("SAMCL_STORM_SECONDS");
  return std::chrono::seconds(wanted ? std::atoi(wanted) : 5);
}

unsigned choose_seed() {
  const char* wanted = std::getenv("SAMCL_SEED");
  return wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : std::random_device{}();
}

// What a program saw that was never killed.
struct Survivor {
  uint64_t leases = 0;
  uint64_t unmanaged = 0;  // leases that were taken without the manager
  int spells = 0;          // of being unmanaged
  Clock::duration longest_spell{0};
  Clock::duration longest_wait{0};
};

Survivor survive(lease::Client& client, const std::atomic<bool>& stop) {
  Survivor seen;
  auto managed_last = Clock::now();
  bool managed = true;
  while (!stop) {
    const auto start = Clock::now();
    const Lease gpu(&client, ResourceKind::gpu, 0);
    const auto now = Clock::now();
    ++seen.leases;
    seen.longest_wait = std::max(seen.longest_wait, now - start);
    if (client.managed()) {
      managed_last = now;
    } else {
      ++seen.unmanaged;
      seen.spells += managed;
      seen.longest_spell = std::max(seen.longest_spell, now - managed_last);
    }
    managed = client.managed();
    std::this_thread::sleep_for(20us);
  }
  return seen;
}

// A process that takes and gives back until it is killed.
pid_t start_victim(const Daemon& daemon, bool with_threads) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const auto client = daemon.connect();
  if (!client) _exit(1);
  const auto work = [&] {
    while (true) {
      Lease gpu(client.get(), ResourceKind::gpu, 0);
      std::this_thread::sleep_for(30us);
      gpu.yield_if_revoked();
    }
  };
  if (with_threads) std::thread(work).detach();
  work();
  _exit(0);
}

// Kills and replaces programs for a while.
int rage(const Daemon& daemon, std::mt19937& random) {
  std::vector<pid_t> victims(kVictims);
  for (pid_t& victim : victims) victim = start_victim(daemon, random() % 2 == 0);
  int kills = 0;
  for (const auto end = Clock::now() + storm_length(); Clock::now() < end; ++kills) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    pid_t& victim = victims[random() % kVictims];
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
    victim = start_victim(daemon, random() % 2 == 0);
  }
  for (const pid_t victim : victims) {
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
  }
  return kills;
}

void expect_to_survive(const Daemon& daemon) {
  const unsigned seed = choose_seed();
  SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  std::atomic<bool> stop = false;
  Survivor seen;
  std::thread survivor([&] { seen = survive(*client, stop); });
  const int kills = rage(daemon, random);
  stop = true;
  survivor.join();
  const auto ms = [](Clock::duration time) { return time / 1ms; };
  std::cout << kills << " kills, " << seen.leases << " leases, " << seen.unmanaged << " unmanaged in "
            << seen.spells << " spells, the longest " << ms(seen.longest_spell) << " ms; longest wait "
            << ms(seen.longest_wait) << " ms\n";
  EXPECT_GT(kills, 10);
  EXPECT_EQ(seen.spells, 0);
  EXPECT_LT(seen.longest_wait, kLongestSpell);
  EXPECT_TRUE(client->managed());
  for (int i = 0; i < 100 && daemon.status()["programs"].size() != 1; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_THAT(daemon.status()["programs"], ::testing::SizeIs(1));
}

TEST(Storm, SurvivorStaysManagedWhileOthersAreKilled) {
  Daemon daemon;
  ASSERT_TRUE(daemon.start());
  expect_to_survive(daemon);
}

// Each kill is two lines; some hundred of them fill a pipe, and a daemon that waits for its reader shows no
// heartbeat.
TEST(Storm, SurvivorStaysManagedWhileNobodyReadsTheLog) {
  const std::string config =
      std::filesystem::temp_directory_path() / ("samcl-storm." + std::to_string(getpid()));
  std::ofstream(config) << "log_level = 'info'\n";
  int log[2];
  ASSERT_EQ(pipe(log), 0);
  fcntl(log[1], F_SETPIPE_SZ, 4096);
  const int stderr_before = dup(STDERR_FILENO);
  dup2(log[1], STDERR_FILENO);
  Daemon daemon;
  const bool started = daemon.start({"--config", config});
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  std::filesystem::remove(config);
  ASSERT_TRUE(started);
  expect_to_survive(daemon);
  close(log[0]);
  close(log[1]);
}

}  // namespace
}  // namespace samcl
