// Programs that are killed in every state, all the time, while others go on. A short storm by default;
// SAMCL_STORM_SECONDS makes those of programs longer, SAMCL_STORM_KILLS and SAMCL_STORM_DAEMONS (how many of each) that
// of everything, and SAMCL_SEED repeats one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "base/test_seed.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::Lease;
using lease::ResourceKind;
using testing::Daemon;
using testing::FreezableGroup;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kVictims = 4;  // at a time
constexpr auto kLongestSpell = 2s;

int number_from(const char* variable, int usual) {
  return static_cast<int>(test_number(variable, static_cast<uint64_t>(usual)));
}

std::chrono::seconds storm_length() { return std::chrono::seconds(number_from("SAMCL_STORM_SECONDS", 5)); }

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
  const TestSeed seed;
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  std::atomic<bool> stop = false;
  Survivor seen;
  std::thread survivor([&] { seen = survive(*client, stop); });
  const int kills = rage(daemon, random);
  stop = true;
  survivor.join();
  const auto ms = [](Clock::duration time) { return time / 1ms; };
  std::cout << kills << " kills, " << seen.leases << " leases, " << seen.unmanaged << " unmanaged in " << seen.spells
            << " spells, the longest " << ms(seen.longest_spell) << " ms; longest wait " << ms(seen.longest_wait)
            << " ms\n";
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
  const std::string config = std::filesystem::temp_directory_path() / ("samcl-storm." + std::to_string(getpid()));
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

// A process that takes and gives back until something happens to it.
enum class Habit { works, works_in_threads, forks, calls_exec };

pid_t start_victim(const Daemon& daemon, Habit habit, unsigned us) {
  if (habit == Habit::works || habit == Habit::works_in_threads)
    return start_victim(daemon, habit == Habit::works_in_threads);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const auto client = daemon.connect();
  if (!client) _exit(1);
  for (bool forked = false; true; forked = true) {
    const Lease gpu(client.get(), ResourceKind::gpu, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(us));
    if (habit == Habit::calls_exec) execl("/bin/sleep", "sleep", "60", nullptr);
    if (forked || fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep(60);  // keeps what its parent has open
    _exit(0);
  }
}

// What the kernel counts of a process: open descriptors, threads, memory in KiB.
struct Footing {
  long descriptors = 0, threads = 0, memory = 0;
};

Footing footing_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  Footing seen;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder + "/fd")) ++seen.descriptors;
  std::ifstream status(folder + "/status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") status >> seen.threads;
    if (word == "VmRSS:") status >> seen.memory;
  }
  return seen;
}

class Rage {
 public:
  Rage(Daemon& daemon, std::mt19937& random) : daemon_(daemon), random_(random) {
    for (size_t i = 0; i < victims_.size(); ++i) {
      groups_[i] = FreezableGroup::make(daemon.instance() + "." + std::to_string(i), FreezableGroup::Version::v2);
      start(i);
    }
    if (!groups_[0]) std::cout << "no control group of version 2 can be made here: nobody is frozen\n";
  }
  ~Rage() {
    for (size_t i = 0; i < victims_.size(); ++i) end(i);
  }

  // To whom it happens is replaced when it happens again.
  void strike() {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 4000));
    const size_t i = random_() % victims_.size();
    switch (random_() % 8) {
      case 0: kill(victims_[i], SIGSTOP); return;
      case 1:
        kill(victims_[i], SIGSTOP);
        kill(victims_[i], SIGCONT);
        return;
      case 2:
        if (groups_[i]) groups_[i]->freeze();
        return;
      default: break;
    }
    end(i);
    ++kills;
    start(i);
  }

  int kills = 0;

 private:
  void start(size_t i) {
    static constexpr Habit kHabits[] = {Habit::works, Habit::works, Habit::works_in_threads, Habit::forks,
                                        Habit::calls_exec};
    if (groups_[i]) groups_[i]->thaw();
    victims_[i] = start_victim(daemon_, kHabits[random_() % std::size(kHabits)], random_() % 3000);
    if (groups_[i]) groups_[i]->add(victims_[i]);
  }
  // A frozen one ends, too.
  void end(size_t i) {
    kill(victims_[i], SIGKILL);
    waitpid(victims_[i], nullptr, 0);
  }

  Daemon& daemon_;
  std::mt19937& random_;
  std::array<pid_t, kVictims> victims_{};
  std::array<std::unique_ptr<FreezableGroup>, kVictims> groups_;
};

// Daemons are killed, too: who survives finds each next one soon. While one runs nothing grows in it.
TEST(Storm, NothingIsLostWhateverEnds) {
  const TestSeed seed;
  std::mt19937 random(static_cast<unsigned>(seed));
  const int kills = number_from("SAMCL_STORM_KILLS", 300), daemons = number_from("SAMCL_STORM_DAEMONS", 4);
  Daemon daemon;
  ASSERT_TRUE(daemon.start());
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  Clock::duration longest_spell{0};
  Rage storm(daemon, random);
  for (int i = 0; i < daemons; ++i) {
    for (const int until = storm.kills + kills / 2 / daemons; storm.kills < until;) storm.strike();
    daemon.stop(SIGKILL);
    EXPECT_FALSE(client->managed());
    storm.strike();
    ASSERT_TRUE(daemon.start());
    const auto started = Clock::now();
    ASSERT_TRUE(testing::finds_daemon(*client));
    longest_spell = std::max(longest_spell, Clock::now() - started);
  }
  std::atomic<bool> stop = false;
  Survivor seen;
  std::thread survivor([&] { seen = survive(*client, stop); });
  for (int i = 0; i < 20; ++i) storm.strike();
  const Footing before = footing_of(daemon.pid());
  while (storm.kills < kills) storm.strike();
  stop = true;
  survivor.join();
  // Who was killed last is forgotten at once; of the others there are as many as there were.
  for (int i = 0; i < 100 && daemon.status()["programs"].size() > kVictims + 1; ++i) std::this_thread::sleep_for(10ms);
  const Footing after = footing_of(daemon.pid());
  std::cout << storm.kills << " kills, " << daemons << " daemons, unmanaged for " << longest_spell / 1ms
            << " ms at most; under the last one " << seen.leases << " leases, the longest wait "
            << seen.longest_wait / 1ms << " ms; memory " << before.memory << " to " << after.memory << " KiB\n";
  EXPECT_LT(longest_spell, kLongestSpell);
  EXPECT_EQ(seen.spells, 0);
  // One stopped holder after another may keep it waiting for a second or so each.
  EXPECT_LT(seen.longest_wait, 5 * kLongestSpell);
  EXPECT_NEAR(static_cast<double>(after.descriptors), static_cast<double>(before.descriptors), 4 * kVictims);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_LT(after.memory, before.memory + 4096);
}

}  // namespace
}  // namespace samcl
