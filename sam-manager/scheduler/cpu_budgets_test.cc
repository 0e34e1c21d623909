#include "sam-manager/scheduler/cpu_budgets.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/test_seed.h"

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Change = CpuBudgets::Change;

constexpr ClientId kTask = 7;

// 10 in each period of 160; the watch looks no sooner than 2 later. The first budget begins at 1000.
struct CpuBudgetsTest : ::testing::Test {
  CpuUse clock{500, 2};
  bool can_be_read = true;
  CpuBudgets budgets{[this](ClientId) { return can_be_read ? std::optional(clock) : std::nullopt; }};

  void SetUp() override {
    budgets.set_watch(2);
    budgets.set(kTask, {10, 160, 10}, 1000);
  }
  std::vector<Change> use(uint64_t ns, uint64_t now_ns) {
    clock.ns += ns;
    return budgets.look(now_ns);
  }
};

TEST_F(CpuBudgetsTest, WhatWasPromisedMayBeUsed) {
  EXPECT_THAT(use(10, 1005), IsEmpty());
  EXPECT_EQ(budgets.used_ns(kTask), 10u);
  EXPECT_FALSE(budgets.is_exhausted(kTask));
}

TEST_F(CpuBudgetsTest, MoreIsToldOnce) {
  EXPECT_THAT(use(11, 1005), ElementsAre(Change{kTask, true}));
  EXPECT_TRUE(budgets.is_exhausted(kTask));
  EXPECT_THAT(use(5, 1050), IsEmpty());
}

TEST_F(CpuBudgetsTest, LooksWhenAllThreadsTogetherCanHaveUsedItUp) {
  use(0, 1000);
  EXPECT_EQ(budgets.next_ns(), 1005u) << "two threads need 5 for 10";
  use(4, 1005);
  EXPECT_EQ(budgets.next_ns(), 1008u);
  use(5, 1008);
  EXPECT_EQ(budgets.next_ns(), 1010u) << "no sooner than the watch";
  EXPECT_THAT(use(4, 1010), ElementsAre(Change{kTask, true}));
  EXPECT_EQ(budgets.next_ns(), 1160u) << "then not before the next budget";
}

TEST_F(CpuBudgetsTest, FirstOneIsTheFirstJobs) {
  budgets.release_job(kTask, 1155, 1155);
  EXPECT_THAT(use(10, 1156), IsEmpty());
  budgets.release_job(kTask, 1155 + 150, 1155 + 150);
  EXPECT_THAT(use(10, 1310), IsEmpty()) << "that one began late, and 1155 was no time of its own to be early for";
}

TEST_F(CpuBudgetsTest, NextJobHasANewOne) {
  use(11, 1005);
  budgets.release_job(kTask, 1160, 1160);
  EXPECT_FALSE(budgets.is_exhausted(kTask));
  EXPECT_THAT(use(10, 1170), IsEmpty());
  EXPECT_THAT(use(1, 1175), ElementsAre(Change{kTask, true}));
}

TEST_F(CpuBudgetsTest, NewOneBeginsByItselfAfterAPeriodAndIsTheNextJobs) {
  use(11, 1005);
  EXPECT_THAT(use(0, 1160), ElementsAre(Change{kTask, false})) << "also of a task whose jobs are not marked";
  use(6, 1170);
  budgets.release_job(kTask, 1200, 1200);
  EXPECT_THAT(use(5, 1205), ElementsAre(Change{kTask, true})) << "no third one for the job that begins late";
  EXPECT_EQ(budgets.next_ns(), 1360u) << "a period after that job";
}

TEST_F(CpuBudgetsTest, BeginningJobsAllTheTimeBringsNothing) {
  use(11, 1005);
  for (uint64_t now = 1010; now < 1160; now += 10) {
    budgets.release_job(kTask, now, now);
    EXPECT_TRUE(budgets.is_exhausted(kTask)) << now;
  }
  budgets.release_job(kTask, 1160, 1160);
  EXPECT_FALSE(budgets.is_exhausted(kTask)) << "10 early, as jobs may be";
  EXPECT_EQ(budgets.next_ns(), 1160u);
}

TEST_F(CpuBudgetsTest, JobThatIsReleasedLaterHasItsBudgetThen) {
  use(11, 1005);
  budgets.release_job(kTask, 1155, 1100);
  EXPECT_TRUE(budgets.is_exhausted(kTask));
  EXPECT_EQ(budgets.next_ns(), 1155u);
  EXPECT_THAT(use(0, 1155), ElementsAre(Change{kTask, false}));
}

TEST_F(CpuBudgetsTest, AnotherBudgetCountsFromTheBeginOfTheOneBefore) {
  budgets.set(kTask, {12, 100, 6}, 1010);
  EXPECT_THAT(use(12, 1020), IsEmpty());
  EXPECT_THAT(use(1, 1025), ElementsAre(Change{kTask, true}));
  EXPECT_EQ(budgets.next_ns(), 1100u - 4) << "a job that began 10 late then would have made the next one 10 early";
}

TEST_F(CpuBudgetsTest, JobUnderWayKeepsALargerBudgetThanTheNextOnes) {
  budgets.set(kTask, {5, 160, 10}, 1003);
  EXPECT_THAT(use(10, 1010), IsEmpty()) << "it began with 10";
  budgets.release_job(kTask, 1160, 1160);
  EXPECT_THAT(use(6, 1170), ElementsAre(Change{kTask, true}));
}

TEST_F(CpuBudgetsTest, NextJobOfALongerPeriodIsDueWhenItWas) {
  budgets.set(kTask, {10, 1600, 100}, 1003);
  use(10, 1010);
  budgets.release_job(kTask, 1160, 1160);
  EXPECT_THAT(use(10, 1170), IsEmpty());
  budgets.release_job(kTask, 1320, 1320);
  EXPECT_THAT(use(1, 1330), ElementsAre(Change{kTask, true})) << "the one after that is not";
}

TEST_F(CpuBudgetsTest, WhoIsNotWatchedUsesWhatHeLikes) {
  budgets.remove(kTask);
  EXPECT_EQ(budgets.next_ns(), UINT64_MAX);
  EXPECT_THAT(use(1000, 2000), IsEmpty());
  EXPECT_FALSE(budgets.is_exhausted(kTask));
  EXPECT_EQ(budgets.used_ns(kTask), std::nullopt);
}

TEST_F(CpuBudgetsTest, ClockThatCannotBeReadExhaustsNothing) {
  can_be_read = false;
  EXPECT_THAT(use(50, 1010), IsEmpty());
  can_be_read = true;
  EXPECT_THAT(use(0, 1020), ElementsAre(Change{kTask, true}));
}

// Jobs that keep to their stages: released a period apart or more, seen to begin when they like in a time after that,
// done by the next release, and with what they computed all of the budget. None of them is ever without, while what may
// be early is what may be late; nor after a change of either.
TEST(CpuBudgetsBound, LeaveJobsThatBeginLateTheirOwn) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](uint64_t low, uint64_t high) {
    return std::uniform_int_distribution<uint64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    uint64_t period = draw(64, 400), late = draw(0, period / 2), each = draw(1, period / 4);
    CpuUse clock{0, 1};
    CpuBudgets budgets([&](ClientId) { return std::optional(clock); });
    budgets.set_watch(1);
    uint64_t release = draw(0, 400), change = draw(0, 20);
    budgets.set(kTask, {each, period, late}, 0);
    for (int job = 0; job < 40; ++job) {
      const uint64_t begin = release + (draw(0, 2) == 0 ? late : draw(0, 1) * draw(0, late));
      const auto look_until = [&](uint64_t until) {
        while (budgets.next_ns() < until) budgets.look(budgets.next_ns());
      };
      look_until(begin);
      budgets.release_job(kTask, begin, begin);
      clock.ns += each;
      budgets.look(begin + each);
      EXPECT_FALSE(budgets.is_exhausted(kTask)) << "job " << job << " of trial " << trial;
      look_until(release + period);
      EXPECT_FALSE(budgets.is_exhausted(kTask)) << "after job " << job << " of trial " << trial;
      release += period + (draw(0, 3) == 0 ? draw(0, 2 * period) : 0);
      if (change-- != 0) continue;
      // From this release on, another one.
      change = draw(0, 20);
      look_until(release);
      period = draw(64, 400), late = draw(0, period / 2), each = std::max(each, draw(1, period / 4));
      if (each > period / 2) each = period / 4;
      budgets.set(kTask, {each, period, late}, release);
    }
  }
}

// Whatever a program does with its marks and threads: from the begin of one budget to that of the next its threads
// compute for no longer than its budget and, on all of them, the watch; and these are a period apart, but for a
// sixteenth.
TEST(CpuBudgetsBound, HoldsForRandomLiars) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](uint64_t low, uint64_t high) {
    return std::uniform_int_distribution<uint64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    const uint64_t period = draw(64, 400), each = draw(0, 60), watch = draw(1, 9), early = draw(0, period / 2);
    const auto threads = static_cast<unsigned>(draw(1, 4));
    CpuUse clock{0, threads};
    CpuBudgets budgets([&](ClientId) { return std::optional(clock); });
    budgets.set_watch(watch);
    budgets.set(kTask, {each, period, early}, 0);
    std::vector<std::pair<uint64_t, uint64_t>> used;  // when, by how many threads: urgently
    // It saves its budget for when two meet, and marks jobs all the time, or when it likes.
    const uint64_t lazy = draw(0, 3), moods = draw(1, period), marks = draw(0, 1) * 40;
    bool computes_now = false;
    for (uint64_t now = 0; now < 4000; ++now) {
      if (now >= budgets.next_ns()) budgets.look(now);
      if (draw(0, marks) == 0) budgets.release_job(kTask, now, now);
      if (draw(0, moods) == 0) computes_now = !computes_now;
      if (budgets.is_exhausted(kTask) || !computes_now || draw(0, 3) < lazy) continue;
      const uint64_t computes = draw(1, threads);
      clock.ns += computes;
      used.emplace_back(now, computes);
    }
    // As the analysis counts it (analysis/rta/PROOF.md, "Enforced budgets").
    const uint64_t most = each + threads * watch, spread = period + early;
    for (const auto& [begin, first] : used) {
      uint64_t sum = 0;
      for (const auto& [when, computes] : used) {
        if (when < begin) continue;
        sum += computes;
        const uint64_t jobs = (spread + when - begin + 1 + period - 1) / period;
        ASSERT_LE(sum, jobs * most) << "from " << begin << " to " << when << ", trial " << trial;
      }
    }
  }
}

}  // namespace
}  // namespace samcl::scheduler
