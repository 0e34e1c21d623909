#include "libsamcl/device/run_ahead.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace samcl {
namespace {

using Entry = RunAhead::Entry;
constexpr uint64_t kUs = 1'000;

uint64_t now = 0;
uint64_t clock_ns() { return now; }

// A lease of one device, of which another program may have it.
class OneLease : public lease::Client {
 public:
  bool revoked = false, wanted = false;
  bool alone = false, far = false;  // far: who connects waits

  lease::Assignment assignment() const override { return {}; }
  uint64_t assignment_version() const override { return 0; }
  void acquire(lease::ResourceKind, uint32_t) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    free_.wait(lock, [this] { return !held_; });
    --waiting_;
    held_ = true;
  }
  bool try_acquire(lease::ResourceKind, uint32_t) override {
    std::lock_guard lock(mutex_);
    return !std::exchange(held_, true);
  }
  void release(lease::ResourceKind, uint32_t) override {
    std::lock_guard lock(mutex_);
    EXPECT_TRUE(held_) << "given back twice";
    EXPECT_FALSE(far) << "who connects would wait for nothing";
    held_ = false;
    ++releases_;
    free_.notify_one();
  }
  bool is_wanted(lease::ResourceKind, uint32_t) const override {
    std::lock_guard lock(mutex_);
    return wanted || revoked || waiting_ > 0;
  }
  bool revoke_requested(lease::ResourceKind, uint32_t) const override { return revoked; }
  bool is_alone() const override { return alone; }
  bool runs_far(lease::ResourceKind, uint32_t) override {
    EXPECT_TRUE(is_held());
    return alone && (far = true);
  }
  void ends_run_far(lease::ResourceKind, uint32_t) override {
    EXPECT_TRUE(is_held());
    far = false;
  }
  void attach_thread(int) override {}
  void job_ended(uint64_t, bool) override {}
  bool managed() const override { return true; }
  uint64_t waited_ns() const override { return 0; }

  bool is_held() const {
    std::lock_guard lock(mutex_);
    return held_;
  }
  int releases() const { return releases_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable free_;
  bool held_ = false;
  int waiting_ = 0, releases_ = 0;
};

engine::NodePtr node() {
  return std::make_shared<engine::Node>(engine::Lane{engine::LaneKind::compute, 0}, engine::HostCall{}, 0);
}

struct RunAheadTest : ::testing::Test {
  OneLease lease;
  const std::shared_ptr<GrantedWork> work = std::make_shared<GrantedWork>(lease, 0);
  RunAhead ahead{work};

  RunAheadTest() { now = 0; }
  Entry enter(uint64_t ns) { return ahead.enter({node()}, ns, now); }
  bool begins(uint64_t ns) { return ahead.start(ns, clock_ns).begins; }
  void play_two(RunAhead& other);
};

TEST_F(RunAheadTest, WhatIsShortAndKnownCounts) {
  EXPECT_EQ(ahead.counted(0), 0u) << "nobody knows";
  EXPECT_EQ(ahead.counted(1), GrantedWork::kFirstLeastNs);
  EXPECT_EQ(ahead.counted(400 * kUs), 400 * kUs);
  EXPECT_EQ(ahead.counted(501 * kUs), 0u) << "longer than a slice";
}

TEST_F(RunAheadTest, WhatTheQueueTakesFromOneToTheNextIsLearned) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(enter(5 * kUs), Entry::now);
    now += 2 * kUs;
    ahead.ended(1, 5 * kUs, now);
  }
  EXPECT_EQ(ahead.counted(1), 2 * kUs + 500) << "and some more";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(enter(50 * kUs), Entry::now);
    now += 100 * kUs;
    ahead.ended(1, 50 * kUs, now);
  }
  EXPECT_EQ(ahead.counted(1), 2 * kUs + 500) << "those computed most of the time";
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t shortest = ahead.counted(1);
    EXPECT_EQ(enter(shortest), Entry::now);
    now += 8 * kUs;
    ahead.ended(1, shortest, now);
  }
  EXPECT_EQ(ahead.counted(1), 10 * kUs) << "the driver has become slower";
}

TEST_F(RunAheadTest, ShortOnesAreIssuedAtOnceUnderOneLease) {
  EXPECT_EQ(enter(10 * kUs), Entry::now);
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(enter(10 * kUs), Entry::now);
  ahead.ended(1, 10 * kUs, now);
  EXPECT_TRUE(lease.is_held());
  ahead.ended(1, 10 * kUs, now);
  EXPECT_FALSE(lease.is_held()) << "nothing is in flight any more";
  EXPECT_EQ(lease.releases(), 1);
}

TEST_F(RunAheadTest, NoMoreIsInFlightThanAMoreUrgentTaskWaitsFor) {
  EXPECT_EQ(enter(400 * kUs), Entry::now);
  EXPECT_EQ(enter(400 * kUs), Entry::now);
  EXPECT_EQ(enter(5 * kUs), Entry::feed);
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(begins(5 * kUs));
  ahead.ended(1, 400 * kUs, now);
  EXPECT_TRUE(begins(5 * kUs));
}

TEST_F(RunAheadTest, RunsFarWhileItIsAlone) {
  lease.alone = true;
  EXPECT_EQ(ahead.counted(10'000 * kUs), 10'000 * kUs);
  EXPECT_EQ(ahead.counted(21'000 * kUs), 0u);
  EXPECT_EQ(enter(10'000 * kUs), Entry::now);
  EXPECT_TRUE(lease.far && ahead.is_far());
  for (int i = 0; i < 40; ++i) EXPECT_EQ(enter(1'000 * kUs), Entry::now);
  EXPECT_EQ(enter(1), Entry::feed) << "50 ms are in flight";
  ahead.ended(41, 50'000 * kUs, now);
  EXPECT_FALSE(lease.far);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, CallerThatRunsFarFindsAnotherThread) {
  lease.alone = true;
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  EXPECT_EQ(ahead.enter({node()}, 5 * kUs, now, true), Entry::now);
  lease.alone = false;
  EXPECT_EQ(ahead.enter({node()}, 5 * kUs, now, true), Entry::now) << "in doubt once more";
  EXPECT_FALSE(ahead.is_far());
  EXPECT_EQ(ahead.enter({node()}, 5 * kUs, now, true), Entry::feed);
}

// Until then it hears of ends late, too.
TEST_F(RunAheadTest, WhoConnectsWaitsUntilAllThatCameFarAheadHasEnded) {
  lease.alone = true;
  EXPECT_EQ(enter(5'000 * kUs), Entry::now);
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  lease.alone = false;
  EXPECT_EQ(ahead.counted(5'000 * kUs), 0u);
  EXPECT_EQ(enter(5 * kUs), Entry::feed) << "there is no room now";
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(begins(5 * kUs));
  ahead.ended(1, 5'000 * kUs, now);
  EXPECT_TRUE(lease.far);
  EXPECT_TRUE(begins(5 * kUs));
  EXPECT_FALSE(ahead.is_far());
  ahead.ended(1, 5 * kUs, now);
  EXPECT_FALSE(lease.far);
  EXPECT_TRUE(lease.is_held());
  ahead.ended(1, 5 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, LongOneThatCameTooLateToRunFarRunsAlone) {
  EXPECT_EQ(enter(5'000 * kUs), Entry::feed) << "somebody connected since it was counted";
  EXPECT_FALSE(lease.is_held());
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(begins(5'000 * kUs));
  EXPECT_FALSE(lease.is_held());
  EXPECT_TRUE(begins(0));
}

TEST_F(RunAheadTest, WhatElseInTheProgramWantsTheDeviceKeepsItNear) {
  lease.alone = true;
  EXPECT_EQ(enter(10'000 * kUs), Entry::now);
  lease.wanted = true;
  EXPECT_EQ(enter(10'000 * kUs), Entry::feed);
  ahead.ended(1, 10'000 * kUs, now);
  lease.wanted = false;
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_TRUE(begins(5 * kUs));
  EXPECT_FALSE(ahead.is_far()) << "for a while";
  now += 100'000 * kUs;
  EXPECT_TRUE(begins(5 * kUs));
  EXPECT_TRUE(ahead.is_far());
}

TEST_F(RunAheadTest, NothingOvertakesWhatWaits) {
  const engine::NodePtr first = node(), second = node(), third = node();
  EXPECT_EQ(ahead.enter({first}, 0, now), Entry::feed);
  EXPECT_EQ(ahead.enter({second}, 5 * kUs, now), Entry::waits) << "short, and there is room, but not its turn";
  EXPECT_EQ(ahead.next().node, first);
  EXPECT_EQ(ahead.enter({third}, 5 * kUs, now), Entry::waits) << "the feeder still has the first one";
  EXPECT_EQ(ahead.next().node, second);
  EXPECT_EQ(ahead.next().node, third);
  EXPECT_EQ(ahead.next().node, nullptr);
  EXPECT_EQ(enter(5 * kUs), Entry::now) << "nothing waits any more";
}

TEST_F(RunAheadTest, FeederIsPreferredWhereTheCallerHasOtherThingsToDo) {
  EXPECT_FALSE(ahead.has_waiting());
  EXPECT_EQ(ahead.enter({node()}, 5 * kUs, now, true), Entry::feed) << "though there is room";
  EXPECT_TRUE(ahead.has_waiting());
  EXPECT_EQ(enter(5 * kUs), Entry::waits);
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_TRUE(begins(5 * kUs));
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(ahead.has_waiting());
  EXPECT_EQ(ahead.next().node, nullptr);
  EXPECT_EQ(enter(5 * kUs), Entry::now);
}

TEST_F(RunAheadTest, WhatIsNotKnownRunsAlone) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  EXPECT_EQ(enter(0), Entry::feed);
  EXPECT_FALSE(begins(0));
  ahead.ended(1, 5 * kUs, now);
  EXPECT_TRUE(begins(0));
  EXPECT_FALSE(lease.is_held()) << "it takes the lease by itself";
}

TEST_F(RunAheadTest, MoreUrgentTaskIsGivenWayWhenWhatIsInFlightHasEnded) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  lease.revoked = true;
  EXPECT_EQ(enter(5 * kUs), Entry::feed);
  EXPECT_FALSE(begins(5 * kUs));
  ahead.ended(1, 5 * kUs, now);
  EXPECT_FALSE(lease.is_held());
  lease.revoked = false;
  ASSERT_TRUE(begins(5 * kUs));
  EXPECT_TRUE(lease.is_held()) << "taken again";
}

TEST_F(RunAheadTest, OthersWaitForOneTurn) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  lease.wanted = true;
  now += GrantedWork::kTurnNs - 1;
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  now += 1;
  EXPECT_EQ(enter(5 * kUs), Entry::feed);
  EXPECT_FALSE(begins(5 * kUs));
  ahead.ended(2, 10 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, UnwantedLeaseIsKeptAsLongAsSomethingIsInFlight) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  for (int i = 0; i < 100; ++i) {
    now += GrantedWork::kTurnNs;
    EXPECT_EQ(enter(5 * kUs), Entry::now);
    ahead.ended(1, 5 * kUs, now);
  }
  EXPECT_EQ(lease.releases(), 0);
}

TEST_F(RunAheadTest, LeaseOfAnotherProgramIsTheFeedersToWaitFor) {
  lease.acquire(lease::ResourceKind::gpu, 0);
  EXPECT_EQ(enter(5 * kUs), Entry::feed);
  std::thread feeder([&] { EXPECT_TRUE(begins(5 * kUs)); });
  lease.release(lease::ResourceKind::gpu, 0);
  feeder.join();
  EXPECT_TRUE(lease.is_held());
  ahead.ended(1, 5 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, WhatTheDriverRefusesIsNotInFlight) {
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  EXPECT_EQ(enter(400 * kUs), Entry::now);
  ahead.ended(1, 400 * kUs, now);
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(enter(500 * kUs), Entry::now) << "there is room again";
  ahead.ended(1, 500 * kUs, now);
  ahead.ended(1, 5 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, WhatFollowsIsInFlightToo) {
  EXPECT_EQ(enter(10 * kUs), Entry::now);
  EXPECT_TRUE(ahead.extend(390 * kUs, now));
  EXPECT_TRUE(ahead.extend(400 * kUs, now));
  EXPECT_FALSE(ahead.extend(5 * kUs, now)) << "others wait for no more than that";
  ahead.ended(2, 400 * kUs, now);
  EXPECT_TRUE(ahead.extend(5 * kUs, now));
  lease.revoked = true;
  EXPECT_FALSE(ahead.extend(5 * kUs, now));
  ahead.ended(2, 405 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, WhatFollowsSomethingThatHasEndedTakesTheLease) {
  EXPECT_EQ(enter(10 * kUs), Entry::now);
  ahead.ended(1, 10 * kUs, now);
  ahead.ended(0, 0, now);  // its end is told: it is in flight no more
  EXPECT_EQ(lease.releases(), 1);
  EXPECT_TRUE(ahead.extend(10 * kUs, now));
  EXPECT_TRUE(lease.is_held());
  ahead.take_back(10 * kUs);
  EXPECT_FALSE(lease.is_held()) << "it was not given to the driver after all";
  lease.acquire(lease::ResourceKind::gpu, 0);
  EXPECT_FALSE(ahead.extend(10 * kUs, now)) << "another program has the device";
  lease.release(lease::ResourceKind::gpu, 0);
  EXPECT_EQ(enter(0), Entry::feed);
  EXPECT_FALSE(ahead.extend(10 * kUs, now)) << "it would overtake what waits";
}

TEST_F(RunAheadTest, FeederThatLeavesTellsWhetherAnotherIsNeeded) {
  enter(0);
  enter(0);
  ahead.next();
  EXPECT_TRUE(ahead.hand_over());
  EXPECT_EQ(enter(0), Entry::waits) << "another one comes";
  ahead.next();
  ahead.next();
  EXPECT_FALSE(ahead.hand_over());
  EXPECT_EQ(enter(0), Entry::feed);
}

TEST_F(RunAheadTest, OnlyTheLastThatWaitsHurries) {
  ahead.hurry();
  EXPECT_FALSE(ahead.start(0, clock_ns).hurries) << "nothing waits";
  enter(0);
  enter(0);
  ahead.hurry();
  ahead.next();
  EXPECT_FALSE(ahead.start(0, clock_ns).hurries) << "the second one ends later";
  ahead.next();
  EXPECT_TRUE(ahead.start(0, clock_ns).hurries);
  ahead.next();
  EXPECT_FALSE(ahead.start(0, clock_ns).hurries) << "there is no feeder";
}

TEST_F(RunAheadTest, TheFeederHearsWhoIsAwaited) {
  EXPECT_EQ(ahead.enter({node(), true}, 0, now), Entry::feed);
  EXPECT_EQ(ahead.enter({node()}, 0, now), Entry::waits);
  EXPECT_TRUE(ahead.next().is_awaited);
  EXPECT_FALSE(ahead.next().is_awaited);
}

// Two contexts of one program on one device, or two queues of one context: they take turns, and neither waits for what
// the other one holds for nothing.
void RunAheadTest::play_two(RunAhead& other) {
  constexpr int kEach = 500;
  std::mutex clock;
  const auto play = [&](RunAhead& mine) {
    int in_flight = 0;
    for (int i = 0; i < kEach; ++i) {
      {
        std::lock_guard lock(clock);
        now += 50 * kUs;
      }
      uint64_t seen;
      {
        std::lock_guard lock(clock);
        seen = now;
      }
      if (mine.enter({node()}, 50 * kUs, seen) == Entry::now) {
        ++in_flight;
        continue;
      }
      EXPECT_NE(mine.next().node, nullptr);
      while (true) {
        const RunAhead::Start start = mine.start(50 * kUs, [] { return uint64_t{0}; });
        if (start.begins) break;
        if (in_flight == 0) {
          mine.wait_for_change(start.changes);
          continue;
        }
        mine.ended(1, 50 * kUs, 0);
        --in_flight;
      }
      ++in_flight;
      EXPECT_EQ(mine.next().node, nullptr);
    }
    while (in_flight-- > 0) mine.ended(1, 50 * kUs, 0);
  };
  std::thread beside([&] { play(other); });
  play(ahead);
  beside.join();
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, TwoContextsShareOneLease) {
  RunAhead other(std::make_shared<GrantedWork>(lease, 0));
  play_two(other);
}

TEST_F(RunAheadTest, TwoQueuesShareOneLease) {
  RunAhead other(work);
  play_two(other);
}

// Queues of one device: what is in flight in both together is no more than in one, under one lease.
TEST_F(RunAheadTest, QueuesShareWhatMayBeInFlight) {
  RunAhead other(work);
  EXPECT_EQ(enter(400 * kUs), Entry::now);
  EXPECT_EQ(other.enter({node()}, 300 * kUs, now), Entry::now);
  EXPECT_EQ(other.enter({node()}, 200 * kUs, now), Entry::feed);
  EXPECT_TRUE(ahead.ended(1, 400 * kUs, now)) << "it was beside others";
  EXPECT_TRUE(lease.is_held());
  EXPECT_NE(other.next().node, nullptr);
  EXPECT_TRUE(other.start(200 * kUs, clock_ns).begins);
  EXPECT_FALSE(other.ended(2, 500 * kUs, now)) << "these were all";
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.releases(), 1);
}

TEST_F(RunAheadTest, QueuesForWhichThereWasNoRoomTakeTurns) {
  RunAhead other(work);
  EXPECT_EQ(enter(400 * kUs), Entry::now);
  EXPECT_EQ(other.enter({node()}, 500 * kUs, now), Entry::feed);
  EXPECT_NE(other.next().node, nullptr);
  EXPECT_FALSE(other.start(500 * kUs, clock_ns).begins);
  EXPECT_EQ(enter(5 * kUs), Entry::feed) << "the other one would wait for ever if others filled what room there is";
  EXPECT_FALSE(ahead.extend(5 * kUs, now));
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(begins(5 * kUs));
  ahead.ended(1, 400 * kUs, now);
  EXPECT_FALSE(begins(5 * kUs)) << "it came later";
  EXPECT_TRUE(other.start(500 * kUs, clock_ns).begins);
  EXPECT_TRUE(begins(5 * kUs));
}

TEST_F(RunAheadTest, WhatRunsAloneWaitsForAllQueues) {
  RunAhead other(work);
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  EXPECT_EQ(other.enter({node()}, 0, now), Entry::feed);
  EXPECT_NE(other.next().node, nullptr);
  EXPECT_FALSE(other.start(0, clock_ns).begins);
  EXPECT_EQ(enter(5 * kUs), Entry::feed);
  ahead.ended(1, 5 * kUs, now);
  EXPECT_TRUE(other.start(0, clock_ns).begins);
  EXPECT_FALSE(lease.is_held()) << "it takes the lease by itself";
}

TEST_F(RunAheadTest, WhatFailsBeforeItsTurnLeavesTheLine) {
  RunAhead other(work);
  EXPECT_EQ(enter(800 * kUs), Entry::feed);
  EXPECT_EQ(enter(5 * kUs), Entry::waits);
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_TRUE(begins(400 * kUs));
  EXPECT_NE(ahead.next().node, nullptr);
  EXPECT_FALSE(begins(500 * kUs));
  EXPECT_EQ(ahead.next().node, nullptr);
  EXPECT_EQ(other.enter({node()}, 5 * kUs, now), Entry::now);
}

// Of each queue the first ones that end are those that came first; but not of all together.
TEST_F(RunAheadTest, WhoConnectsWaitsForAllQueuesThatRanFar) {
  RunAhead other(work);
  lease.alone = true;
  EXPECT_EQ(enter(5 * kUs), Entry::now);
  EXPECT_EQ(other.enter({node()}, 700 * kUs, now), Entry::now);
  lease.alone = false;
  EXPECT_EQ(enter(5 * kUs), Entry::now) << "in doubt once more";
  ahead.ended(2, 10 * kUs, now);
  EXPECT_TRUE(lease.far) << "what the other queue has is of before";
  other.ended(1, 700 * kUs, now);
  EXPECT_FALSE(lease.is_held());
}

TEST_F(RunAheadTest, FeederHearsOfAnEnd) {
  enter(5 * kUs);
  enter(RunAhead::kSliceNs);
  const RunAhead::Start full = ahead.start(RunAhead::kSliceNs, clock_ns);
  EXPECT_FALSE(full.begins);
  std::thread other([&] { ahead.ended(2, 5 * kUs + RunAhead::kSliceNs, now); });
  while (ahead.start(0, clock_ns).changes == full.changes) ahead.wait_for_change(full.changes);
  other.join();
  EXPECT_FALSE(lease.is_held());
}

// Of long ones a few are in flight, and what they wait for in the host is nothing to what they take.
TEST_F(RunAheadTest, IsFullOfShortOnesOnly) {
  lease.alone = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(enter(15'000 * kUs), Entry::now);
  EXPECT_FALSE(ahead.is_full_of_short_ones());
  ahead.ended(2, 30'000 * kUs, now);
  uint64_t count = 0;
  for (; !ahead.is_full_of_short_ones() && count < 1000; ++count) EXPECT_EQ(enter(100 * kUs), Entry::now);
  EXPECT_EQ(count, RunAhead::kFarMostNs / 2 / (100 * kUs) + 1);
  EXPECT_EQ(enter(100 * kUs), Entry::now) << "it may still come";
  ahead.ended(count + 1, (count + 1) * 100 * kUs, now);
  EXPECT_FALSE(ahead.is_full_of_short_ones());
}

}  // namespace
}  // namespace samcl
