#include "libsamcl/threads/spin.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace samcl {
namespace {

TEST(Spin, WhatHoldsAlreadyIsLookedAtOnce) {
  int looks = 0;
  EXPECT_TRUE(spin_until([&] { return ++looks == 1; }));
  EXPECT_EQ(looks, 1);
}

TEST(Spin, StopsAsSoonAsItHolds) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "with one core it only looks once";
  // A thread that is not scheduled for 50 us between two looks gives up, as it should.
  bool seen = false;
  for (int attempt = 0; attempt < 1000 && !seen; ++attempt) {
    int looks = 0;
    seen = spin_until([&] { return ++looks == 2; });
    EXPECT_LE(looks, 2);
  }
  EXPECT_TRUE(seen);
}

TEST(Spin, WhatNeverHoldsEnds) {
  int looks = 0;
  EXPECT_FALSE(spin_until([&] {
    ++looks;
    return false;
  }));
  EXPECT_GE(looks, 1);
}

TEST(Spin, SeesWhatAnotherThreadDoes) {
  std::atomic<bool> ready = false;
  std::thread other([&] { ready = true; });
  while (!spin_until([&] { return ready.load(); })) {
  }
  other.join();
  EXPECT_TRUE(ready);
}

}  // namespace
}  // namespace samcl
