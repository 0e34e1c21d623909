#include "sam-manager/scheduler/shares.h"

#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <map>
#include <random>

#include "sam-manager/scheduler/scheduler.h"
#include "sam-manager/scheduler/testing/release.h"

namespace samcl::scheduler {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Programs that always want the device and give way between two sections when they are told to, on a
// simulated clock.
struct Device {
  struct Program {
    Standing standing;
    uint64_t section_ns = 0;
    uint64_t pause_ns = UINT64_MAX;  // after so long it gives the device back,
    uint64_t gap_ns = 0;             // and asks again after so long
    uint64_t back_ns = 0;
    uint64_t from_ns = 0, until_ns = UINT64_MAX;
    uint64_t had_ns = 0;
    uint64_t longest_wait_ns = 0;
    uint64_t asked_ns = 0;
    bool asked = false;
  };

  std::array<std::atomic<protocol::Word>, 1> words{};
  std::map<ClientId, Program> programs;
  Scheduler scheduler{words, [this](ResourceId, const Waiter& waiter) {
                        Program& program = programs.at(waiter.client);
                        program.longest_wait_ns = std::max(program.longest_wait_ns, now_ns - program.asked_ns);
                      }};
  uint64_t now_ns = 0;

  void add(ClientId id, uint32_t weight, uint64_t section_ns) {
    programs[id].standing = {0, Level::shares, weight};
    programs[id].section_ns = section_ns;
  }

  void ask(ClientId id) {
    programs.at(id).asked = true;
    programs.at(id).asked_ns = now_ns;
    scheduler.acquire(id, 0, 1);
  }

  void run_until(uint64_t end_ns) {
    for (auto& [id, program] : programs) scheduler.add_client(id, program.standing);
    uint64_t held_ns = 0;
    ClientId before = 0;
    while (now_ns < end_ns) {
      scheduler.advance_time(now_ns);
      if (scheduler.next_tick_ns() <= now_ns) scheduler.tick();
      for (auto& [id, program] : programs) {
        const bool is_there = now_ns >= std::max(program.from_ns, program.back_ns) && now_ns < program.until_ns;
        if (!program.asked && is_there) ask(id);
        if (program.asked && now_ns >= program.until_ns) {
          scheduler.remove_client(id);
          program.asked = false;
          program.back_ns = UINT64_MAX;
        }
      }
      const ClientId owner = scheduler.owner(0);
      if (owner != before) held_ns = 0;
      before = owner;
      if (owner == 0 || !programs.at(owner).asked) {
        now_ns += kMs / 100;  // nobody wants it, or it is kept for one that does not yet
        continue;
      }
      Program& program = programs.at(owner);
      // Others ask in the middle of its section.
      const uint64_t begin = now_ns;
      for (auto& [id, other] : programs) {
        const uint64_t due = std::max({begin, other.from_ns, other.back_ns});
        if (other.asked || due >= std::min(begin + program.section_ns, other.until_ns)) continue;
        now_ns = due;
        scheduler.advance_time(now_ns);
        ask(id);
      }
      now_ns = begin + program.section_ns;
      program.had_ns += program.section_ns;
      held_ns += program.section_ns;
      scheduler.advance_time(now_ns);
      if (scheduler.next_tick_ns() <= now_ns) scheduler.tick();
      const bool is_revoked = (words[0].load() & protocol::kRevoke) != 0;
      if (!is_revoked && held_ns < program.pause_ns) continue;
      held_ns = 0;
      release(scheduler, words[0], owner);
      program.asked = false;
      program.back_ns = is_revoked ? now_ns : now_ns + program.gap_ns;
      if (program.back_ns == now_ns) ask(owner);
    }
  }

  double share(ClientId id) const {
    uint64_t all = 0;
    for (const auto& [other, program] : programs) all += program.had_ns;
    return static_cast<double>(programs.at(id).had_ns) / static_cast<double>(all);
  }
};

TEST(Shares, EqualWeightsHaveEqualTimeWhateverTheirSectionsAre) {
  Device device;
  device.add(1, 1, kMs / 20);
  device.add(2, 1, 5 * kMs);
  device.run_until(2'000 * kMs);
  EXPECT_NEAR(device.share(1), 0.5, 0.01);
}

TEST(Shares, TimeIsByWeight) {
  Device device;
  device.add(1, 1, kMs / 2);
  device.add(2, 3, kMs / 2);
  device.add(3, 6, kMs / 2);
  device.run_until(2'000 * kMs);
  EXPECT_NEAR(device.share(1), 0.1, 0.01);
  EXPECT_NEAR(device.share(2), 0.3, 0.01);
  EXPECT_NEAR(device.share(3), 0.6, 0.01);
}

// A kernel, a pause, a kernel.
TEST(Shares, TimeIsByWeightAlsoOfThoseWhoPause) {
  Device device;
  device.add(1, 3, kMs);
  device.add(2, 1, kMs);
  for (const ClientId id : {1u, 2u}) {
    device.programs.at(id).pause_ns = kMs;
    device.programs.at(id).gap_ns = kMs / 20;
  }
  device.run_until(2'000 * kMs);
  EXPECT_NEAR(device.share(1), 0.75, 0.02);
  EXPECT_GT(device.programs.at(1).had_ns + device.programs.at(2).had_ns, 1'900 * kMs)
      << "for the sake of that little is lost";
}

TEST(Shares, NoPlaceIsKeptForOneThatIsNotBehind) {
  Device device;
  for (const ClientId id : {1u, 2u}) {
    device.add(id, 1, kMs);
    device.programs.at(id).pause_ns = kMs;
    device.programs.at(id).gap_ns = kMs / 20;
  }
  device.run_until(2'000 * kMs);
  EXPECT_NEAR(device.share(1), 0.5, 0.01);
  EXPECT_GT(device.programs.at(1).had_ns + device.programs.at(2).had_ns, 1'990 * kMs)
      << "each computes while the other pauses";
}

TEST(Shares, NoPlaceIsKeptForOneThatPausesForLong) {
  Device device;
  device.add(1, 10, kMs / 10);
  device.programs.at(1).pause_ns = kMs / 10;
  device.programs.at(1).gap_ns = kMs / 5;
  device.add(2, 1, kMs / 2);
  device.run_until(2'000 * kMs);
  EXPECT_GT(device.programs.at(1).had_ns + device.programs.at(2).had_ns, 1'990 * kMs);
}

TEST(Shares, WhatIsKeptGoesToARealTimeTaskAtOnce) {
  std::array<std::atomic<protocol::Word>, 1> words{};
  Scheduler scheduler(words, [](ResourceId, const Waiter&) {});
  scheduler.add_client(1, {0, Level::shares, 100});
  scheduler.add_client(2, {0, Level::shares, 1});
  scheduler.add_client(3, {0, Level::real_time});
  uint64_t now = kMs;
  const auto tell = [&](uint64_t later) { scheduler.advance_time(now += later); };
  tell(0);
  words[0] = 1;
  scheduler.acquire(2, 0, 1);  // it is behind from now on
  for (int i = 0; i < 3; ++i) {
    tell(kMs);
    release(scheduler, words[0], 1);
    tell(kMs / 100);
    scheduler.acquire(1, 0, 1);
    if (scheduler.owner(0) == 2) {
      tell(5 * kMs);
      release(scheduler, words[0], 2);
      scheduler.acquire(2, 0, 1);
    }
  }
  ASSERT_EQ(scheduler.owner(0), 1u);
  tell(kMs);
  release(scheduler, words[0], 1);
  EXPECT_EQ(scheduler.owner(0), 1u) << "it is kept";
  EXPECT_LE(scheduler.next_tick_ns(), now + Shares::kLongestGapNs);
  scheduler.acquire(3, 0, 1);
  EXPECT_EQ(scheduler.owner(0), 3u);
  release(scheduler, words[0], 3);
  EXPECT_EQ(scheduler.owner(0), 2u) << "no more is kept of that";
}

TEST(Shares, LightestOfManyIsNotStarved) {
  Device device;
  device.add(1, 1, kMs / 2);
  for (ClientId id = 2; id < 10; ++id) device.add(id, 100, kMs / 2);
  device.run_until(20'000 * kMs);
  EXPECT_NEAR(device.share(1) * 801, 1, 0.1);
  EXPECT_LT(device.programs.at(2).longest_wait_ns, 100 * kMs) << "nor do the heavy ones wait for long";
}

TEST(Shares, NewcomerBeginsWhereTheOthersAre) {
  Device device;
  device.add(1, 1, kMs / 2);
  device.add(2, 1, kMs / 2);
  device.add(3, 1, kMs / 2);
  device.programs.at(3).from_ns = 5'000 * kMs;
  device.run_until(5'600 * kMs);
  EXPECT_NEAR(static_cast<double>(device.programs.at(3).had_ns), 200.0 * kMs, 10 * kMs)
      << "a third, not all that it missed";
  EXPECT_LT(device.programs.at(3).longest_wait_ns, 20 * kMs);
}

TEST(Shares, AbsenceIsNotSavedUp) {
  Shares shares;
  shares.join(1, 1, 0);
  shares.charge(1, 1, 5'000 * kMs);
  shares.join(2, 1, 0);
  shares.rise(shares.used(1));
  shares.join(2, 1, 0);
  EXPECT_EQ(shares.used(1) - shares.used(2), 2 * 64 * Shares::kTurnNs) << "but for two turns";
}

TEST(Shares, WhoLeavesIsNotMissed) {
  Device device;
  device.add(1, 1, kMs / 2);
  device.add(2, 1, kMs / 2);
  device.programs.at(1).until_ns = 100 * kMs;
  device.run_until(1'000 * kMs);
  EXPECT_GT(device.programs.at(2).had_ns, 940 * kMs);
}

// Whoever is nobody's turn keeps the device, and is told that it need not look whether others wait.
TEST(Shares, OwnerKeepsWhatItHasUntilItsTurnIsOver) {
  std::array<std::atomic<protocol::Word>, 1> words{};
  Scheduler scheduler(words, [](ResourceId, const Waiter&) {});
  scheduler.add_client(1, {0, Level::shares, 2});
  scheduler.add_client(2, {0, Level::shares, 1});
  words[0] = 1;
  scheduler.advance_time(10 * kMs);
  scheduler.acquire(2, 0, 1);
  EXPECT_EQ(words[0].load(), 1 | protocol::kWaiters | protocol::kTurn | protocol::with_next(2));
  EXPECT_EQ(scheduler.next_tick_ns(), 12 * kMs);
  scheduler.advance_time(12 * kMs);
  scheduler.tick();
  EXPECT_EQ(words[0].load(), 1 | protocol::kWaiters | protocol::kTurn | protocol::kRevoke | protocol::with_next(2));
  EXPECT_EQ(scheduler.next_tick_ns(), UINT64_MAX);
}

TEST(Shares, RealTimeTaskComesBeforeAllSharesAtOnce) {
  std::array<std::atomic<protocol::Word>, 1> words{};
  std::vector<ClientId> granted;
  Scheduler scheduler(words, [&](ResourceId, const Waiter& waiter) { granted.push_back(waiter.client); });
  scheduler.add_client(1, {0, Level::shares, 100});
  scheduler.add_client(2, {0, Level::shares, 100});
  scheduler.add_client(3, {0, Level::real_time});
  scheduler.add_client(4, {-5, Level::background});
  words[0] = 1;
  for (const ClientId id : {4u, 2u}) scheduler.acquire(id, 0, 1);
  EXPECT_EQ(words[0].load() & protocol::kRevoke, 0u);
  scheduler.acquire(3, 0, 1);
  EXPECT_NE(words[0].load() & protocol::kRevoke, 0u);
  for (const ClientId id : {1u, 3u, 2u}) release(scheduler, words[0], id);
  EXPECT_THAT(granted, ::testing::ElementsAre(3, 2, 4));
}

// However programs come, go and pause: who wants the device all the time has at least its part, but for a few
// turns.
TEST(SharesRandom, WhoAlwaysWantsItHasItsPart) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int set = 0; set < 30; ++set) {
    Device device;
    const ClientId others = 1 + random() % 5;
    uint32_t weights = 0;
    for (ClientId id = 1; id <= 1 + others; ++id) {
      device.add(id, 1 + random() % 8, kMs / 10 * (1 + random() % 20));
      weights += device.programs.at(id).standing.weight;
      if (id == 1) continue;
      device.programs.at(id).from_ns = random() % 1'000 * kMs;
      device.programs.at(id).until_ns = 2'000 * kMs + random() % 2'000 * kMs;
      if (random() % 2) device.programs.at(id).pause_ns = kMs / 10 * (1 + random() % 30);
    }
    device.run_until(4'000 * kMs);
    const double part = static_cast<double>(device.programs.at(1).standing.weight) / weights;
    EXPECT_GE(device.share(1), part - 0.03) << "set " << set;
  }
}

}  // namespace
}  // namespace samcl::scheduler
