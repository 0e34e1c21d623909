#include "libsamcl/device/pace.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(Pace, LeavesAsMuchAsOthersHave) {
  Pace half(0.5), quarter(0.25);
  half.computed(1000, 5000);
  quarter.computed(1000, 5000);
  EXPECT_EQ(half.rests_until(), 6000u);
  EXPECT_EQ(quarter.rests_until(), 8000u);
}

TEST(Pace, OfAllTheTimeNeverRests) {
  Pace all(1);
  all.computed(1000, 5000);
  EXPECT_LE(all.rests_until(), 5000u);
}

TEST(Pace, WhatWasInFlightDuringARestIsPaidForToo) {
  Pace half(0.5);
  half.computed(1000, 5000);
  half.computed(1000, 5500);
  EXPECT_EQ(half.rests_until(), 7000u);
}

TEST(Pace, TimeThatWasNotUsedIsNotSavedUp) {
  Pace half(0.5);
  half.computed(1000, 5000);
  half.computed(1000, 90'000);
  EXPECT_EQ(half.rests_until(), 91'000u);
}

}  // namespace
}  // namespace samcl
