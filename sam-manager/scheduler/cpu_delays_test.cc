#include "sam-manager/scheduler/cpu_delays.h"

#include <gtest/gtest.h>

namespace samcl::scheduler {
namespace {

constexpr ClientId kHolder = 1, kWaiter = 2, kUrgent = 3, kMiddle = 4;
constexpr ResourceId kOnGpu = 0, kOnLink = 1;

// The holder is waited for at 40.
struct CpuDelaysTest : ::testing::Test {
  std::map<ClientId, uint64_t> clocks{{kHolder, 100}, {kWaiter, 100}, {kUrgent, 100}, {kMiddle, 100}};
  CpuDelays delays{[this](ClientId client) {
    const auto clock = clocks.find(client);
    return clock == clocks.end() ? std::nullopt : std::optional(CpuUse{clock->second, 1});
  }};

  void SetUp() override {
    delays.set_priority(kHolder, 10);
    delays.set_priority(kWaiter, 40);
    delays.set_priority(kUrgent, 50);
    delays.set_priority(kMiddle, 30);
    delays.begin(kOnGpu, kHolder, 40);
    delays.set_priority(kHolder, 40);
  }
  void all_compute(uint64_t ns) {
    for (auto& [client, clock] : clocks) clock += ns;
  }
};

TEST_F(CpuDelaysTest, OnlyWhoIsAtLeastAsUrgentCounts) {
  clocks[kUrgent] += 7;
  EXPECT_EQ(delays.computed_ns(kOnGpu), 7u);
  clocks[kWaiter] += 5;
  EXPECT_EQ(delays.computed_ns(kOnGpu), 12u);
  clocks[kMiddle] += 100;
  clocks[kHolder] += 100;
  EXPECT_EQ(delays.computed_ns(kOnGpu), 12u);
}

TEST_F(CpuDelaysTest, WhatWasComputedBeforeDoesNot) {
  delays.end(kOnGpu);
  all_compute(1000);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 0u);
  delays.begin(kOnGpu, kHolder, 40);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 0u);
}

TEST_F(CpuDelaysTest, WhoIsLentAPriorityCountsForAsLong) {
  all_compute(10);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 20u);
  delays.set_priority(kMiddle, 60);
  all_compute(10);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 50u);
  delays.set_priority(kMiddle, 30);
  all_compute(10);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 70u);
}

TEST_F(CpuDelaysTest, WhereSomebodyMoreUrgentWaitsWhatWasCountedStays) {
  all_compute(10);
  delays.begin(kOnGpu, kHolder, 45);
  all_compute(10);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 30u) << "the first waiter computes below the second one's priority";
}

TEST_F(CpuDelaysTest, AnotherHolderBeginsAnew) {
  all_compute(10);
  delays.begin(kOnGpu, kMiddle, 40);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 0u);
  clocks[kHolder] += 3;
  EXPECT_EQ(delays.computed_ns(kOnGpu), 3u) << "which is still lent 40 for something else";
}

TEST_F(CpuDelaysTest, ResourcesAreApart) {
  delays.begin(kOnLink, kMiddle, 50);
  all_compute(10);
  EXPECT_EQ(delays.computed_ns(kOnLink), 10u);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 20u);
}

TEST_F(CpuDelaysTest, WhoLeavesHasComputedWhatItHas) {
  clocks[kUrgent] += 7;
  delays.remove(kUrgent);
  clocks.erase(kUrgent);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 7u);
}

TEST_F(CpuDelaysTest, AClockThatCannotBeReadAnyMoreTellsNothing) {
  clocks[kUrgent] += 7;
  clocks.erase(kUrgent);
  EXPECT_EQ(delays.computed_ns(kOnGpu), 0u);
}

}  // namespace
}  // namespace samcl::scheduler
