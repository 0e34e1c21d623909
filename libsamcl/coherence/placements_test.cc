#include "libsamcl/coherence/placements.h"

#include <gmock/gmock.h>

namespace samcl {
namespace {

using ::testing::ElementsAre;
using Piece = Directory::Piece;

constexpr uint64_t kSize = 4 << 20;
const Placement kHalves{kSize, 0b11, {{{0, kSize / 2}, 0b01}, {{kSize / 2, kSize}, 0b10}}};

TEST(Placements, MemoryObjectsAreKnownByTheirOrderAndSize) {
  Placements placements;
  EXPECT_FALSE(placements.made(kSize)) << "before it begins";
  placements.begin({{1, kHalves}});
  EXPECT_TRUE(placements.foresees());
  EXPECT_FALSE(placements.made(Placements::kLeast - 1)) << "too small to count";
  const auto first = placements.made(kSize), second = placements.made(kSize);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->number, 0u);
  EXPECT_FALSE(first->placement);
  EXPECT_EQ(second->number, 1u);
  EXPECT_EQ(second->placement, kHalves);
}

TEST(Placements, OfAnotherSizeNothingIsForeseen) {
  Placements placements;
  placements.begin({{0, kHalves}});
  EXPECT_FALSE(placements.made(kSize + 1)->placement);
}

TEST(Placements, WhatOneDeviceUsesIsNotPlaced) {
  Placements placements;
  placements.begin({{0, {kSize, 0b10, {{{0, kSize}, 0b10}}}}});
  EXPECT_FALSE(placements.made(kSize)->placement);
}

TEST(Placements, OnlyWhoKnowsNothingLearns) {
  Placements knows, learns;
  knows.begin({{0, kHalves}});
  learns.begin({});
  EXPECT_FALSE(knows.learns());
  EXPECT_TRUE(learns.learns());
  learns.stop_learning();
  EXPECT_FALSE(learns.learns());
}

TEST(Placements, UsesOfAMemoryObjectAreTakenTogether) {
  Placements placements;
  placements.begin({});
  EXPECT_TRUE(placements.learned(0, kHalves));
  EXPECT_FALSE(placements.learned(0, {kSize, 0b01, {{{0, kSize}, 0b01}}})) << "known before";
  const auto kept = placements.took(10'000'000, 5'000'000);
  ASSERT_TRUE(kept);
  EXPECT_THAT(kept->at(0).needed, ElementsAre(Piece{{0, kSize / 2}, 0b01}, Piece{{kSize / 2, kSize}, 0b11}));
}

TEST(Placements, AreKeptOnlyWhereTheyPayInAll) {
  Placements placements;
  placements.begin({});
  placements.learned(0, kHalves);
  EXPECT_FALSE(placements.took(10'000'000, 9'900'000)) << "0.1 ms is too little";
  EXPECT_TRUE(placements.took(10'000'000, 5'000'000));
  const auto less = placements.took(10'000'000, 16'000'000);
  ASSERT_TRUE(less);
  EXPECT_TRUE(less->empty()) << "what was kept is taken back";
}

TEST(Placements, LearningEndsSoonWhereLaunchesAreShort) {
  Placements placements;
  placements.begin({});
  for (int launch = 0; launch < 7; ++launch) placements.took_short_time();
  EXPECT_TRUE(placements.learns());
  placements.took_short_time();
  EXPECT_FALSE(placements.learns());
}

TEST(Placements, AreGivenUpOnce) {
  Placements placements;
  placements.begin({{0, kHalves}});
  EXPECT_TRUE(placements.give_up());
  EXPECT_FALSE(placements.give_up());
}

}  // namespace
}  // namespace samcl
