#include "libsamcl/cost/parts_build.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

TEST(PartsBuild, WaitsUntilTheKernelHasTakenAsLong) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 49 * kMillisecond, 1 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 50 * kMillisecond, 1 * kMillisecond), PartsBuild::beside);
}

TEST(PartsBuild, BeginsEarlyWhereTheFirstDeviceWaitsForNothing) {
  EXPECT_EQ(when_to_build_parts(48 * kMillisecond, 5 * kMillisecond, 1 * kMillisecond, 0, true), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(48 * kMillisecond, 6 * kMillisecond, 1 * kMillisecond, 0, true), PartsBuild::beside);
}

TEST(PartsBuild, HoldsUpOnlyALaunchThatSavesMore) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 99 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 100 * kMillisecond), PartsBuild::now);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 500 * kMillisecond, 99 * kMillisecond), PartsBuild::beside);
}

TEST(PartsBuild, BeginsWithTheFirstOfManyLaunchesAndHoldsUpNone) {
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond, 99 * kMillisecond), PartsBuild::not_yet);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 1 * kMillisecond, 100 * kMillisecond), PartsBuild::beside);
  EXPECT_EQ(when_to_build_parts(50 * kMillisecond, 0, 100 * kMillisecond, 100 * kMillisecond), PartsBuild::now);
}

TEST(PartsBuild, IsPaidForByAllProcessesSinceTheLastUntilTwoHaveBuilt) {
  for (const uint32_t built : {0, 1})
    EXPECT_EQ(rent(10 * kMillisecond, 45 * kMillisecond, 10 * kMillisecond, built), 55 * kMillisecond);
  EXPECT_EQ(rent(10 * kMillisecond, 45 * kMillisecond, 10 * kMillisecond, 2), 0u) << "as short as ever";
  EXPECT_EQ(rent(0, 45 * kMillisecond, 10 * kMillisecond, 2), 0u);
  EXPECT_EQ(rent(70 * kMillisecond, 0, 10 * kMillisecond, 2), 60 * kMillisecond) << "it goes on for longer this time";
}

TEST(PartsBuild, ThatWasLongOnceIsTriedAgain) {
  EXPECT_EQ(doubted(800 * kMillisecond, 1), 800 * kMillisecond) << "rent says when";
  const uint64_t to_come = 200 * kMillisecond;
  uint64_t build = 800 * kMillisecond;
  int processes = 0;
  while (when_to_build_parts(build, rent(0, 0, to_come, 2), 1 * kMillisecond, to_come) == PartsBuild::not_yet) {
    build = doubted(build, 2);
    ++processes;
  }
  EXPECT_EQ(processes, 16);
}

// In processes of such launches, each of which opens devices if that seems worth it. How many of them do.
int opening(Promise promise, KernelUse process, int processes) {
  int opened = 0;
  for (; processes > 0; --processes) {
    process.has_opened = promise.is_worth_opening();
    opened += process.has_opened ? 1 : 0;
    promise = after(promise, process);
  }
  return opened;
}

constexpr KernelUse launched(uint64_t promising, uint64_t in_parts) {
  return {
      .launched = std::max<uint64_t>(promising, 1), .promising = promising, .in_parts = in_parts, .had_parts = true};
}

TEST(PartsBuild, DevicesAreOpenedForWhatRanInParts) {
  EXPECT_EQ(opening({}, launched(100 * kMillisecond, 90 * kMillisecond), 10), 9) << "the first knows nothing";
  EXPECT_EQ(opening({}, launched(1 * kMillisecond, 1 * kMillisecond), 10), 0) << "too short";
}

TEST(PartsBuild, DevicesAreOpenedOnceForWhatStaysWhole) {
  const KernelUse whole = launched(100 * kMillisecond, 0);
  EXPECT_EQ(opening({}, whole, 12), 1);
  EXPECT_EQ(opening({}, whole, 60), 5) << "they are tried again";
  KernelUse without_parts = whole;
  without_parts.had_parts = false;
  EXPECT_EQ(opening({}, without_parts, 10), 9) << "they came too late";
  Promise known = after({100 * kMillisecond, 0}, {whole.launched, whole.promising, 0, true, true});
  EXPECT_FALSE(known.is_worth_opening());
  known = after(known, launched(150 * kMillisecond, 0));
  EXPECT_FALSE(known.is_worth_opening());
  known = after(known, launched(250 * kMillisecond, 0));
  EXPECT_TRUE(known.is_worth_opening()) << "it goes on for longer";
}

TEST(PartsBuild, DevicesAreOpenedForAWhileAfterTheyWereOfUse) {
  const Promise useful{100 * kMillisecond, 0};
  EXPECT_EQ(opening(useful, launched(0, 0), 20), 4) << "launches are short now";
  EXPECT_EQ(opening(useful, {}, 40), 19) << "others are launched";
}

TEST(PartsBuild, PartsAreCompiledInALaunchThatGainsByThatOrAfterMany) {
  EXPECT_TRUE(is_worth_compiling(0, 0, 0)) << "most drivers compile nothing then";
  EXPECT_FALSE(is_worth_compiling(100 * kMillisecond, 99 * kMillisecond, 199 * kMillisecond));
  EXPECT_TRUE(is_worth_compiling(100 * kMillisecond, 0, 200 * kMillisecond));
  EXPECT_TRUE(is_worth_compiling(100 * kMillisecond, 100 * kMillisecond, 1 * kMillisecond));
}

TEST(PartsBuild, TakesPartsThatCostNothing) { EXPECT_EQ(when_to_build_parts(0, 0, 0), PartsBuild::now); }

}  // namespace
}  // namespace samcl
