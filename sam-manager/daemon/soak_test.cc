// Two days of programs that come, take, wait, stop and die, on a clock of its own: the daemon's whole logic over real
// shared memory, without processes. SAMCL_SOAK_HOURS makes it longer or shorter, SAMCL_SEED repeats one.
#include <gtest/gtest.h>
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/test_seed.h"
#include "sam-manager/daemon/fake_processes.h"
#include "sam-manager/protocol/leasing.h"

namespace samcl::daemon {
namespace {

constexpr uint64_t kUs = 1000, kMs = 1'000'000, kSecond = 1'000'000'000, kHour = 3600 * kSecond;
constexpr size_t kPrograms = 8;
constexpr uint32_t kResources = 4;  // of two devices
constexpr uint64_t kLongestStop = 3 * kSecond;
// Stopped holders lose what others wait for after a second or so; they may stop one after another.
constexpr uint64_t kLongestWait = 20 * kSecond;

size_t open_descriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

enum class State { absent, idle, asking, waiting, holding };  // asking: for a GPU of its own

// A program as libsamcl behaves: compare-and-swap where nobody waits, else messages.
struct Client {
  const ConnectedProgram* program = nullptr;
  State state = State::absent;
  uint32_t resource = 0;
  uint32_t sequence = 0;
  uint64_t next_ns = 0;
  uint64_t since_ns = 0;  // it waits
  bool stopped = false;
  bool has_job = false;  // of which the daemon knows
};

class Soak {
 public:
  explicit Soak(unsigned seed)
      : random_(seed), board_(Board::make()), broker_(*board_, *registry::Registry::open(""), {}, processes()) {}

  void run(uint64_t hours) {
    add_task("urgent", 30, 0);
    add_task("batch", 0, 3);
    const uint64_t begin = now_, end = begin + hours * kHour;
    size_t used_early = 0;
    for (uint64_t beat = now_, policy = now_ + kHour; now_ < end && !::testing::Test::HasFailure();) {
      Client& next = *std::min_element(clients_.begin(), clients_.end(),
                                       [](const Client& a, const Client& b) { return a.next_ns < b.next_ns; });
      const uint64_t look = std::max(now_, broker_.next_tick_ns());
      now_ = std::min({next.next_ns, beat, look});
      if (now_ == beat) {
        broker_.heartbeat(now_);
        beat += kSecond / 2;
      } else if (now_ == look) {
        broker_.tick(now_);
      } else {
        act(next);
        ++events;
      }
      if (now_ >= policy) change_policy(), policy += kHour;
      take_grants();
      check();
      if (used_early == 0 && now_ - begin > (end - begin) / 4) used_early = mallinfo2().uordblks;
    }
    EXPECT_LT(mallinfo2().uordblks, used_early + (1 << 18)) << "memory grows";
    for (Client& client : clients_)
      if (client.state != State::absent) leave(client);
    EXPECT_TRUE(broker_.programs().empty());
    for (const auto& word : board_->words().words) EXPECT_EQ(word.load(), 0u) << "nobody is left to own it";
  }

  uint64_t events = 0, waits = 0, jobs = 0, deaths = 0, stops = 0, handed = 0, longest_wait_ns = 0,
           longest_wait_for_gpu_ns = 0;

 private:
  Processes processes() {
    Processes fake = fake_processes();
    fake.is_stopped = [this](pid_t pid) {
      return std::ranges::any_of(clients_,
                                 [pid](const Client& c) { return c.program && c.program->pid == pid && c.stopped; });
    };
    return fake;
  }

  void complete_changes() { ASSERT_TRUE(daemon::complete_changes(broker_)) << "a change is not decided"; }

  void add_task(const std::string& name, int priority, uint32_t weight) {
    registry::Task task;
    task.name = name;
    task.priority = priority;
    task.weight = weight;
    if (weight == 0) task.period_ns = task.deadline_ns = 40 * kMs;
    ASSERT_TRUE(broker_.change({1, name, task, false}));
    complete_changes();
    ASSERT_TRUE(broker_.admission().registry().tasks().contains(name));
  }

  void change_policy() {
    const auto all = scheduler::policies(1);
    ASSERT_TRUE(broker_.set_policy(all[++policies_ % all.size()].name));
    complete_changes();
  }

  bool one_in(unsigned many) { return random_() % many == 0; }
  uint64_t up_to(uint64_t ns) { return 1 + std::uniform_int_distribution<uint64_t>(0, ns)(random_); }
  // In bursts, so that programs meet.
  uint64_t pause() { return one_in(12) ? up_to(16 * kSecond) : up_to(300 * kUs); }

  void act(Client& client) {
    if (client.stopped) {
      client.stopped = false;
      client.next_ns = now_ + kMs;
      if (client.state == State::waiting || client.state == State::asking || still_owns(client)) return;
      if (client.state == State::holding) client.state = State::idle;  // it was taken
      return;
    }
    if (client.state == State::absent) return join(client);
    if (one_in(200)) return leave(client);
    if (one_in(200)) {
      ++stops;
      client.stopped = true;
      client.next_ns = now_ + up_to(kLongestStop);
      return;
    }
    switch (client.state) {
      case State::idle:
        return client.program->page->tells_jobs.load() != protocol::ClientPage::kUntold && !client.has_job
                   ? begin(client)
                   : take(client);
      case State::holding: return give_back(client);
      default:
        EXPECT_LT(now_ - client.since_ns, kLongestWait) << "a lease is lost";
        client.next_ns = now_ + up_to(kSecond);
    }
  }

  void join(Client& client) {
    static constexpr const char* kTasks[] = {"", "urgent", "batch", "unknown"};
    Rights rights;
    rights.may_use = true;
    rights.programs = 64;
    const auto program = broker_.connect({kTasks[random_() % 4], 0, {"a", "b"}}, ++last_pid_, 1000, rights, "/bin/app");
    ASSERT_TRUE(program) << program.error().message;
    client = {*program, State::idle, 0, client.sequence, now_ + pause()};
  }

  // Killed, in whatever state.
  void leave(Client& client) {
    ++deaths;
    broker_.on_client_exit(client.program->id);
    client = {nullptr, State::absent, 0, client.sequence, now_ + pause()};
  }

  auto& word(const Client& client) { return board_->words().words[client.resource]; }
  bool still_owns(const Client& client) {
    return client.state == State::holding && protocol::owner_of(word(client).load()) == client.program->id;
  }

  void say(const Client& client, protocol::MessageKind kind) {
    protocol::Message message;
    message.kind = kind;
    message.resource = client.resource;
    message.sequence = client.sequence;
    broker_.handle(client.program->id, message, now_);
  }

  void begin(Client& client) {
    ++jobs;
    say(client, protocol::MessageKind::begin_job);
    client.has_job = true;
    client.state = State::asking;
    client.since_ns = now_;
    client.next_ns = now_ + up_to(kSecond);
    ++client.sequence;
    say(client, protocol::MessageKind::request_gpu);
  }

  void take(Client& client) {
    client.resource = static_cast<uint32_t>(random_() % kResources);
    client.program->page->leases[client.resource].fetch_add(1);
    if (protocol::take(word(client), client.program->id)) return hold(client);
    ++waits;
    ++client.sequence;
    client.state = State::waiting;
    client.since_ns = now_;
    client.next_ns = now_ + up_to(kSecond);
    say(client, protocol::MessageKind::acquire);
  }

  void hold(Client& client) {
    client.state = State::holding;
    client.next_ns = now_ + up_to(2 * kMs);
  }

  void give_back(Client& client) {
    client.state = State::idle;
    if (client.has_job && one_in(3)) {
      client.has_job = false;
      say(client, protocol::MessageKind::end_job);
    }
    client.next_ns = now_ + (client.has_job ? up_to(300 * kUs) : pause());
    using Outcome = protocol::GiveBack::Outcome;
    protocol::GiveBack giving(client.program->id);
    Outcome outcome = Outcome::undecided;
    while (outcome == Outcome::undecided) outcome = giving.step(word(client));
    if (outcome == Outcome::told) return say(client, protocol::MessageKind::release);
    if (outcome != Outcome::handed) return;
    ++handed;
    if (!one_in(8)) return say(client, protocol::MessageKind::handed);
    leave(client);  // before it says so
  }

  // A stopped one has what it was granted, though it does not know.
  void take_grants() {
    for (Client& client : clients_) {
      if (client.stopped) continue;
      if (client.state == State::asking && client.program->page->gpu_grant.load() == client.sequence) {
        longest_wait_for_gpu_ns = std::max(longest_wait_for_gpu_ns, now_ - client.since_ns);
        client.state = State::idle;
        client.next_ns = now_ + up_to(300 * kUs);
      }
      if (client.state != State::waiting) continue;
      const protocol::Word now = word(client).load();
      const bool was_handed = protocol::owner_of(now) == client.program->id && (now & protocol::kHanded) != 0;
      if (was_handed) word(client) = now & ~protocol::kHanded;
      if (!was_handed && client.program->page->grants[client.resource].load() != client.sequence) continue;
      if (protocol::owner_of(word(client).load()) != client.program->id) {  // and was taken while it was stopped
        ++client.sequence;
        say(client, protocol::MessageKind::acquire);
        continue;
      }
      longest_wait_ns = std::max(longest_wait_ns, now_ - client.since_ns);
      hold(client);
    }
  }

  void check() {
    for (uint32_t resource = 0; resource < kResources; ++resource) {
      const protocol::Word now = board_->words().words[resource].load();
      const uint32_t owner = protocol::owner_of(now);
      EXPECT_TRUE(owner == 0 ? now == 0 : broker_.programs().contains(owner)) << "resource " << resource;
      EXPECT_TRUE(owner != 0 || !broker_.scheduler().has_waiters(resource)) << "resource " << resource;
      const auto holders = std::ranges::count_if(clients_, [&](const Client& client) {
        return client.state == State::holding && client.resource == resource && !client.stopped;
      });
      EXPECT_LE(holders, 1) << "resource " << resource;
    }
    for (const int gpu : {0, 1}) {
      const uint32_t owner = broker_.own_gpus().owner(gpu);
      EXPECT_TRUE(owner == 0 || broker_.programs().at(owner).own_gpu == gpu);
      EXPECT_TRUE(owner != 0 || broker_.own_gpus().waiting_for(gpu).empty());
    }
  }

  std::mt19937_64 random_;
  std::array<Client, kPrograms> clients_{};
  Result<Board> board_;
  Broker broker_;
  uint64_t now_ = 1'000 * kSecond;
  pid_t last_pid_ = 100;
  size_t policies_ = 0;  // that were in force
};

TEST(Soak, NothingIsLostOrLeftOverTwoDays) {
  spdlog::set_level(spdlog::level::off);
  const TestSeed seed;
  const size_t before = open_descriptors();
  {
    Soak soak(seed);
    soak.run(test_number("SAMCL_SOAK_HOURS", 48));
    std::cout << soak.events << " events, " << soak.waits << " waits, the longest " << soak.longest_wait_ns / kMs
              << " ms, " << soak.jobs << " jobs with a GPU to themselves, for which they waited "
              << soak.longest_wait_for_gpu_ns / kMs << " ms at most, " << soak.deaths << " deaths, " << soak.stops
              << " stops, " << soak.handed << " hand-overs without us\n";
    EXPECT_GT(soak.waits, 1000u);
    EXPECT_GT(soak.jobs, 1000u);
    EXPECT_GT(soak.deaths, 1000u);
    EXPECT_GT(soak.handed, 1000u);
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace samcl::daemon
