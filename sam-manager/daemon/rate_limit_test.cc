#include "sam-manager/daemon/rate_limit.h"

#include <gtest/gtest.h>

namespace samcl::daemon {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kStart = 500 * kSecond;

// How many messages are heard until `until`, of one who always has more.
uint64_t heard(RateLimit& rate_limit, uint64_t from, uint64_t until, uint64_t cost) {
  uint64_t count = 0;
  for (uint64_t now = from; now < until; now += 10'000) {
    while (rate_limit.has_any(now)) {
      rate_limit.take(cost);
      ++count;
    }
  }
  return count;
}

TEST(RateLimit, AFloodIsHeardAtItsRate) {
  RateLimit rate_limit;
  const uint64_t count = heard(rate_limit, kStart, kStart + 2 * kSecond, 1);
  EXPECT_NEAR(static_cast<double>(count), 2 * RateLimit::kPerSecond + RateLimit::kAtOnce, 20);
}

TEST(RateLimit, DocumentsCostMore) {
  RateLimit rate_limit;
  const uint64_t count = heard(rate_limit, kStart, kStart + 2 * kSecond, RateLimit::kDocument);
  EXPECT_NEAR(static_cast<double>(count), (2.0 * RateLimit::kPerSecond + RateLimit::kAtOnce) / RateLimit::kDocument, 2);
}

TEST(RateLimit, ManyMayComeAtOnceAfterSilence) {
  RateLimit rate_limit;
  heard(rate_limit, kStart, kStart + kSecond, 1);
  EXPECT_TRUE(rate_limit.has_any(kStart + 3600 * kSecond));
  EXPECT_EQ(heard(rate_limit, kStart + 3600 * kSecond, kStart + 3600 * kSecond + 1, 1), RateLimit::kAtOnce);
}

TEST(RateLimit, WhoAsksSeldomIsAlwaysHeard) {
  RateLimit rate_limit;
  for (uint64_t now = kStart; now < kStart + 10 * kSecond; now += 10'000'000) {  // 100 documents a second
    ASSERT_TRUE(rate_limit.has_any(now));
    rate_limit.take(RateLimit::kDocument);
  }
}

TEST(RateLimit, IsFullAgainOnceAllIsEarned) {
  RateLimit rate_limit;
  ASSERT_TRUE(rate_limit.is_full(kStart));
  rate_limit.take(RateLimit::kDocument);
  EXPECT_FALSE(rate_limit.is_full(kStart));
  EXPECT_TRUE(rate_limit.is_full(kStart + kSecond));
}

}  // namespace
}  // namespace samcl::daemon
