#include "libsamcl/plan/launch_cost.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "libsamcl/objects/context.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr TransferRates kRates{10, 100, 20'000};  // 10 GB/s, 100 GB/s, 20 us

struct LaunchCostTest : ::testing::Test {
  testing::FakeDriver driver{2};
  std::shared_ptr<Context> context = driver.make_context();
  std::shared_ptr<Storage> storage = std::make_shared<Storage>(context, 1 << 20, nullptr);
  const DirectoryOf here = [](Storage& of) -> Directory& { return of.directory(); };

  // Two parts of so many work-groups each.
  static LaunchPlan halves(uint64_t groups) {
    LaunchPlan plan;
    plan.parts.push_back({0, {{0, 0, 0}, {groups, 1, 1}}});
    plan.parts.push_back({1, {{groups, 0, 0}, {groups, 1, 1}}});
    return plan;
  }
  // Each part needs these bytes.
  LaunchPlan needing(std::vector<Range> ranges) const {
    LaunchPlan plan = halves(1000);
    BufferAccess access;
    access.storage = storage;
    access.range = {0, storage->size()};
    access.shares = {{ranges, {}}, {ranges, {}}};
    plan.accesses.push_back(access);
    return plan;
  }
  uint64_t moving(std::vector<Range> ranges) const { return moving_ns(needing(std::move(ranges)), kRates, here); }
};

TEST_F(LaunchCostTest, ManyGroupsTakeHalfAsLongOnTwoDevices) {
  EXPECT_EQ(launch_ns(halves(1000), 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver);
}

TEST_F(LaunchCostTest, PartsOnOtherMachinesStartLater) {
  TransferRates far = kRates;
  far.hand_over = 300'000;
  EXPECT_EQ(launch_ns(halves(1000), 10 * kMs, 100, far, here), 5 * kMs + 300'000);
}

TEST_F(LaunchCostTest, ShortOnesFollowEachOtherAsFastAsPartsAreGiven) {
  TransferRates in_order = kRates;
  in_order.hand_over = 10'000;
  in_order.part = 15'000;
  EXPECT_EQ(launch_ns(halves(1000), 20'000, 100, in_order, here), 30'000U);
  EXPECT_EQ(launch_ns(halves(1000), 60'000, 100, in_order, here), 40'000U);
}

// A part between two others needs bytes of both.
TEST_F(LaunchCostTest, PartsOnMoreDevicesTakeLongerToGive) {
  const TransferRates in_order{
      .host = 10, .exchange = 100, .latency = 0, .hand_over = 10'000, .part = 15'000, .inner_part = 30'000};
  const auto costs = [&](const LaunchPlan& split, uint64_t whole, uint64_t busy_groups = 100) {
    const std::array<size_t, 3> devices{2, 4, 8};
    const auto found = costs_on(devices, split, {whole, whole}, busy_groups, in_order, here);
    return std::vector<uint64_t>(found.begin(), found.end());
  };
  storage->written({0, 1 << 20}, only(0) | only(1));
  storage->written({0, 100}, only(0));
  const LaunchPlan halo = needing({{0, 1 << 20}}), apart = halves(1000);
  EXPECT_EQ(costs(halo, 80'000), (std::vector<uint64_t>{50'001, 80'000, 80'000})) << "90 and 210 us to give";
  EXPECT_EQ(costs(halo, 800'000), (std::vector<uint64_t>{410'001, 210'001, 210'000}));
  EXPECT_EQ(costs(apart, 80'000), (std::vector<uint64_t>{50'000, 60'000, 80'000})) << "60 and 120 us to give";
  EXPECT_EQ(costs(apart, 800'000, 1000), (std::vector<uint64_t>{410'000, 410'000, 410'000}))
      << "half of it keeps one busy";
  EXPECT_EQ(launch_ns(apart, 800'000, 100, in_order, here), 410'000u) << "of two as it is";
}

TEST_F(LaunchCostTest, FewerThanKeepADeviceBusyTakeNoLessTime) {
  EXPECT_EQ(launch_ns(halves(50), 10 * kMs, 100, kRates, here), 10 * kMs + kHandOver);
  EXPECT_EQ(launch_ns(halves(75), 15 * kMs, 100, kRates, here), 10 * kMs + kHandOver) << "150 and 100 groups";
}

TEST_F(LaunchCostTest, TheDeviceThatTakesLongestCounts) {
  LaunchPlan plan = halves(1000);
  plan.speeds.assign({1, 0.25});
  EXPECT_EQ(launch_ns(plan, 10 * kMs, 100, kRates, here), 20 * kMs + kHandOver) << "half of it, four times as slow";
  plan.speeds.assign({1, 4});
  EXPECT_EQ(launch_ns(plan, 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver);
}

TEST_F(LaunchCostTest, PartsTakeAsLongAsWhatTheyWrite) {
  LaunchPlan plan = halves(1000);
  plan.written.assign({1000, 3000});
  EXPECT_EQ(launch_ns(plan, 10 * kMs, 100, kRates, here), 7500'000 + kHandOver);
  plan.written.assign({0, 0});
  EXPECT_EQ(launch_ns(plan, 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver) << "by work-groups";
}

// Both devices want the same counter.
TEST_F(LaunchCostTest, PartsThatSlowEachOtherDownDoNotPay) {
  LaunchPlan whole;
  whole.parts.push_back({0, {{0, 0, 0}, {2000, 1, 1}}});
  const LaunchPlan split = halves(1000);
  EXPECT_TRUE(cheaper(whole, &split, nullptr, {10 * kMs, 10 * kMs}, 100, kRates, here).splits);
  EXPECT_FALSE(cheaper(whole, &split, nullptr, {10 * kMs, 30 * kMs}, 100, kRates, here).splits);
}

// A program that made its bytes on one device, and then launches the same kernel again and again.
TEST_F(LaunchCostTest, BytesAreMovedOnceLaunchesWouldHaveSavedAsMuch) {
  const TransferRates slow{.exchange = 0.03, .latency = 0, .hand_over = 0};
  const LaunchPlan split = needing({{0, 1 << 20}});
  LaunchPlan whole = split;
  whole.parts.resize(1);
  storage->written({0, 1 << 20}, only(0));
  ASSERT_EQ(moving_ns(split, slow, here) / kMs, 34u);
  Moving moving;
  const auto splits = [&](Moving* counted) {
    return cheaper(whole, &split, counted, {10 * kMs, 10 * kMs}, 100, slow, here).splits;
  };
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(splits(&moving));
  EXPECT_TRUE(splits(&moving)) << "each would have saved 5 ms";
  EXPECT_FALSE(splits(nullptr)) << "for one alone it is too much";
  simulate(split, here);
  EXPECT_TRUE(splits(&moving)) << "it stays there";
  storage->written({0, 1 << 20}, only(0));
  Moving of_another;
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(cheaper(whole, &split, &of_another, {10 * kMs, 18 * kMs}, 100, slow, here).splits)
        << "10 ms or 9: which of them, nobody knows";
}

TEST_F(LaunchCostTest, AHaloPassesWhileTheRestComputes) {
  const Range all{0, 1 << 20}, edge{0, 1 << 12};
  LaunchPlan plan = needing({all});
  plan.may_overlap = true;
  storage->written(all, only(0) | only(1));
  storage->written(edge, only(0));
  const uint64_t moved = moving_ns(plan, kRates, here);
  EXPECT_GT(moved, 0u);
  EXPECT_LT(launch_ns(plan, 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver);
  EXPECT_GT(launch_ns(plan, kMs / 100, 100, kRates, here), 100'000u) << "shorter ones wait for the host";
  LaunchPlan of_four = plan;
  for (const Part& part : plan.parts) of_four.parts.push_back(part);
  of_four.accesses[0].shares = {{{all}, {}}, {{all}, {}}, {{all}, {}}, {{all}, {}}};
  EXPECT_GT(launch_ns(of_four, kMs / 100, 100, kRates, here), 200'000u) << "which serves one device after another";
  plan.may_overlap = false;
  EXPECT_EQ(launch_ns(plan, 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver + moved);
  plan.may_overlap = true;
  storage->written({0, 1 << 19}, only(0));
  EXPECT_GT(launch_ns(plan, 10 * kMs, 100, kRates, here), 5 * kMs + kHandOver) << "half of it is no halo";
}

TEST_F(LaunchCostTest, WhatIsThereOrUndefinedCostsNothing) {
  EXPECT_EQ(moving({{0, 1000}}), 0u);
  storage->written({0, 1000}, only(0) | only(1));
  EXPECT_EQ(moving({{0, 1000}}), 0u);
}

TEST_F(LaunchCostTest, BytesGoAtTheRateOfTheirWay) {
  storage->written({0, 100'000}, only(kHost));
  EXPECT_EQ(moving({{0, 100'000}}), 20'000u + 10'000u);
  storage->written({0, 100'000}, only(0));
  EXPECT_EQ(moving({{0, 100'000}}), 20'000u + 1'000u);
}

TEST_F(LaunchCostTest, RowsAreOneCommandOtherRangesOneEach) {
  storage->written({0, 1 << 20}, only(0));
  EXPECT_EQ(moving({{0, 100}, {1000, 1100}, {2000, 2100}}), 20'000u + 3u);
  const uint64_t each = moving({{0, 100}, {1000, 1100}, {3000, 3100}});
  EXPECT_GT(each, 20'000u + 3u);
  EXPECT_LT(each, 40'000u) << "no latency of their own";
}

TEST_F(LaunchCostTest, RangesThatMeetAreOne) {
  storage->written({0, 500}, only(0));
  storage->written({500, 1000}, only(0) | only(kHost));
  EXPECT_EQ(moving({{0, 1000}}), 2 * 20'000u + 5u + 50u) << "from two places: two exchanges";
  storage->written({0, 1000}, only(0));
  EXPECT_EQ(moving({{0, 400}, {400, 1000}}), 20'000u + 10u);
}

}  // namespace
}  // namespace samcl
