#include "sam-manager/daemon/restraint.h"

#include <gtest/gtest.h>

namespace samcl::daemon {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kStart = 500 * kSecond;

// How many messages are heard until `until`, of one who always has more.
uint64_t heard(Restraint& restraint, uint64_t from, uint64_t until, uint64_t cost) {
  uint64_t count = 0;
  for (uint64_t now = from; now < until; now += 10'000) {
    while (restraint.has_any(now)) {
      restraint.take(cost);
      ++count;
    }
  }
  return count;
}

TEST(Restraint, AFloodIsHeardAtItsRate) {
  Restraint restraint;
  const uint64_t count = heard(restraint, kStart, kStart + 2 * kSecond, 1);
  EXPECT_NEAR(static_cast<double>(count), 2 * Restraint::kPerSecond + Restraint::kAtOnce, 20);
}

TEST(Restraint, DocumentsCostMore) {
  Restraint restraint;
  const uint64_t count = heard(restraint, kStart, kStart + 2 * kSecond, Restraint::kDocument);
  EXPECT_NEAR(static_cast<double>(count), (2.0 * Restraint::kPerSecond + Restraint::kAtOnce) / Restraint::kDocument, 2);
}

TEST(Restraint, ManyMayComeAtOnceAfterSilence) {
  Restraint restraint;
  heard(restraint, kStart, kStart + kSecond, 1);
  EXPECT_TRUE(restraint.has_any(kStart + 3600 * kSecond));
  EXPECT_EQ(heard(restraint, kStart + 3600 * kSecond, kStart + 3600 * kSecond + 1, 1), Restraint::kAtOnce);
}

TEST(Restraint, WhoAsksSeldomIsAlwaysHeard) {
  Restraint restraint;
  for (uint64_t now = kStart; now < kStart + 10 * kSecond; now += 10'000'000) {  // 100 documents a second
    ASSERT_TRUE(restraint.has_any(now));
    restraint.take(Restraint::kDocument);
  }
}

}  // namespace
}  // namespace samcl::daemon
