#include "libsamcl/cost/kernel_times.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(KernelTimes, NothingIsExpectedAtFirst) {
  const KernelTimes times;
  EXPECT_EQ(times.expect(1000).whole, 0u);
  EXPECT_EQ(times.expect(1000).parts, 0u);
}

TEST(KernelTimes, GrowsWithTheSize) {
  KernelTimes times;
  times.took(1024, 2048);
  EXPECT_EQ(times.expect(1024).whole, 2048u);
  EXPECT_EQ(times.expect(1536).whole, 3072u);
  EXPECT_EQ(times.expect(2048).whole, 0u) << "a work-item may need more in a smaller launch";
  EXPECT_EQ(times.expect(512).whole, 1024u) << "and needs no less";
  EXPECT_EQ(times.expect(256).whole, 512u);
  EXPECT_EQ(times.expect(128).whole, 0u) << "too far away";
}

TEST(KernelTimes, KnowTheLongestLaunchUpToASize) {
  KernelTimes times;
  EXPECT_EQ(times.longest(1 << 30), 0u);
  times.took(256, 2'560);
  times.took(4096, 40'960'000);
  times.took(8192, 8'192);
  EXPECT_EQ(times.longest(4095), 2'560u);
  EXPECT_EQ(times.longest(4096), 40'960'000u);
  EXPECT_EQ(times.longest(1 << 30), 40'960'000u);
}

TEST(KernelTimes, ShorterTimesCountMore) {
  KernelTimes longer, shorter;
  for (KernelTimes* times : {&longer, &shorter})
    for (int launch = 0; launch < 4; ++launch) times->took(1000, 10'000);
  longer.took(1000, 18'000);
  shorter.took(1000, 2'000);
  EXPECT_EQ(longer.expect(1000).whole, 11'000u);
  EXPECT_EQ(shorter.expect(1000).whole, 6'000u);
}

// The first launch may hold the driver's compiling.
TEST(KernelTimes, OfTheFirstOnesTheLeastCounts) {
  KernelTimes times;
  for (const uint64_t ns : {60'000'000, 10'000, 12'000, 40'000}) times.took(1000, ns);
  EXPECT_EQ(times.expect(1000).whole, 10'000u);
}

// Of so many launches more, how many are to be timed.
int wanted(KernelTimes& times, int launches) {
  int count = 0;
  for (int launch = 0; launch < launches; ++launch) count += times.wants_time(1000);
  return count;
}

TEST(KernelTimes, OnlyTheFirstLaunchesAreTimedThoughNoneHasEnded) {
  KernelTimes times;
  times.took(1000, 2'000'000);
  EXPECT_EQ(wanted(times, 640), 4 + 9) << "the first four, and from then on one of 64";
}

TEST(KernelTimes, OnesThatAreNotLongAreTimedMoreSeldom) {
  KernelTimes times;
  times.took(1000, 100'000);
  EXPECT_EQ(wanted(times, 1024), 2 + 4) << "64, 128, 256 and 512";
  EXPECT_EQ(wanted(times, 10 * 1024), 10);
}

TEST(KernelTimes, ShortLaunchesAreTimedEverMoreSeldom) {
  KernelTimes times;
  times.took(1000, 10'000);
  EXPECT_EQ(wanted(times, 1024), 2 + 3) << "8, 64 and 512";
  EXPECT_EQ(wanted(times, 10 * 1024), 10);
}

TEST(KernelTimes, ThatAreDoubtedAreTakenAgain) {
  KernelTimes times;
  times.took(1000, 10'000);
  for (int launch = 0; launch < 20; ++launch) times.wants_time(1000);
  EXPECT_FALSE(times.time_is_due(1000));
  times.doubt();
  EXPECT_TRUE(times.time_is_due(1000));
}

TEST(KernelTimes, ThatCouldNotBeTakenAreTakenOfTheNext) {
  KernelTimes times;
  for (int launch = 0; launch < 100; ++launch) {
    EXPECT_TRUE(times.wants_time(1000));
    times.was_not_timed(1000, KernelTimes::Ran::whole);
  }
  times.was_not_timed(1000, KernelTimes::Ran::whole);
  EXPECT_TRUE(times.wants_time(1000));
}

TEST(KernelTimes, EachSizeHasItsOwnFirst) {
  KernelTimes times;
  for (int launch = 0; launch < 10; ++launch) times.wants_time(1000);
  EXPECT_TRUE(times.wants_time(1 << 20));
}

TEST(KernelTimes, ExpectsInAnotherProcessWhatOneKnew) {
  KernelTimes one, other;
  one.took(1024, 2048);
  one.took(1 << 20, 1 << 19);
  for (int launch = 0; launch < 2; ++launch) one.took(1 << 20, 1 << 21, KernelTimes::Ran::in_parts);
  one.busy_items(1000, 4000);
  EXPECT_EQ(one.known(), (KernelTimes::Known{{{10, 2.0}, {20, 0.5}}, {{20, {2.0, 2}}}, 4.0}));
  other.recall(one.known());
  EXPECT_EQ(other.expect(1024).whole, 2048u);
  EXPECT_EQ(other.expect(1 << 20).whole, 1u << 19);
  EXPECT_EQ(other.expect(1 << 20).parts, 1u << 21);
  EXPECT_EQ(other.busy_items(1000, 1000), 250u);
}

TEST(KernelTimes, StillMeasuresWhatItRecalls) {
  KernelTimes times;
  times.recall({{{10, 200.0}}, {}, 0});
  EXPECT_TRUE(times.wants_time(1024));
}

// To take a time costs as much as several of them.
TEST(KernelTimes, StillMeasuresWhatItRecallsAsShortButNotAtOnce) {
  KernelTimes times;
  times.recall({{{10, 2.0}}, {}, 0});
  for (int launch = 0; launch < 4; ++launch) EXPECT_FALSE(times.wants_time(1024));
  EXPECT_TRUE(times.wants_time(1024));
}

TEST(KernelTimes, PassesOverTimesThatAreNone) {
  KernelTimes times;
  times.recall({{{64, 1.0}, {10, -1.0}, {11, 0.0}}, {{64, {1.0, 2}}, {10, {-1.0, 2}}, {11, {1.0, 2, 0, 0}}}, -1.0});
  EXPECT_EQ(times.known(), KernelTimes::Known{});
}

TEST(KernelTimes, PartsTakeAsMuchAsTheWholeUntilTheyAreMeasured) {
  KernelTimes times;
  times.took(1000, 10'000);
  EXPECT_EQ(times.expect(1000).parts, 10'000u);
  times.took(1000, 12'000, KernelTimes::Ran::in_parts);
  times.took(1000, 12'000, KernelTimes::Ran::in_parts);
  EXPECT_EQ(times.expect(1000).parts, 12'000u);
  EXPECT_EQ(times.expect(1000).whole, 10'000u);
}

// Many drivers compile in a first launch, which a process that launches once would hold against parts for ever.
TEST(KernelTimes, OneLongTimeOfPartsIsNotBelieved) {
  KernelTimes one, next;
  one.took(1000, 10'000);
  one.took(1000, 50'000, KernelTimes::Ran::in_parts);
  EXPECT_EQ(one.expect(1000).parts, 10'000u);
  next.recall(one.known());
  EXPECT_EQ(next.expect(1000).parts, 10'000u);
  next.took(1000, 8'000, KernelTimes::Ran::in_parts);
  EXPECT_EQ(next.expect(1000).parts, 8'000u);
  one.took(1000, 40'000, KernelTimes::Ran::in_parts);
  EXPECT_EQ(one.expect(1000).parts, 40'000u);
}

TEST(KernelTimes, PartsAreTriedAgainThoughEachProcessIsShort) {
  KernelTimes first;
  first.took(1000, 10'000);
  for (int launch = 0; launch < 2; ++launch) first.took(1000, 50'000, KernelTimes::Ran::in_parts);
  KernelTimes::Known kept = first.known();
  for (uint32_t process = 0; process < KernelTimes::kStay; ++process) {
    KernelTimes times;
    times.recall(kept);
    EXPECT_EQ(times.expect(1000).parts, 50'000u) << process;
    times.kept_whole(1000);
    kept = times.known();
  }
  KernelTimes times;
  times.recall(kept);
  EXPECT_EQ(times.expect(1000).parts, 10'000u);
  EXPECT_EQ(kept.in_parts.begin()->second.stay, 4 * KernelTimes::kStay);
}

TEST(KernelTimes, PartsThatDidNotPayAreTriedAgainEverLater) {
  KernelTimes times;
  times.took(1000, 10'000);
  times.took(1000, 50'000, KernelTimes::Ran::in_parts);
  for (const uint32_t stay : {KernelTimes::kStay, 4 * KernelTimes::kStay}) {
    for (int launch = 0; launch < 4; ++launch) times.wants_time(1000, KernelTimes::Ran::in_parts);
    times.took(1000, 50'000, KernelTimes::Ran::in_parts);
    for (uint32_t launch = 1; launch < stay; ++launch) times.kept_whole(1000);
    EXPECT_EQ(times.expect(1000).parts, 50'000u);
    EXPECT_FALSE(times.wants_time(1000, KernelTimes::Ran::in_parts));
    times.kept_whole(1000);
    EXPECT_EQ(times.expect(1000).parts, 10'000u);
    EXPECT_TRUE(times.wants_time(1000, KernelTimes::Ran::in_parts)) << "it is measured again";
  }
}

TEST(KernelTimes, PartsThatPayAgainAreTriedSoonTheNextTime) {
  KernelTimes times;
  times.took(1000, 10'000);
  times.took(1000, 50'000, KernelTimes::Ran::in_parts);
  const auto give_up = [&](uint32_t launches) {
    times.took(1000, 50'000, KernelTimes::Ran::in_parts);
    for (uint32_t launch = 0; launch < launches; ++launch) times.kept_whole(1000);
    return times.expect(1000).parts == 10'000u;
  };
  EXPECT_TRUE(give_up(KernelTimes::kStay));
  EXPECT_FALSE(give_up(KernelTimes::kStay));
  EXPECT_TRUE(give_up(3 * KernelTimes::kStay));
  for (uint32_t launch = 0; launch < KernelTimes::kStay; ++launch) times.runs_in_parts(1000);
  EXPECT_TRUE(give_up(KernelTimes::kStay));
}

TEST(KernelTimes, WorkItemsThatWriteNothingAreNotBusy) {
  KernelTimes times;
  EXPECT_EQ(times.busy_items(1000, 4000), 1000u);
  EXPECT_EQ(times.busy_items(1000, 1000), 250u);
  EXPECT_EQ(times.busy_items(2000, 8000), 2000u);
  EXPECT_EQ(times.busy_items(1000, 8000), 1000u) << "more than any before";
  EXPECT_EQ(times.busy_items(1000, 1000), 125u);
  EXPECT_EQ(times.busy_items(1000, 1), 1u);
}

}  // namespace
}  // namespace samcl
