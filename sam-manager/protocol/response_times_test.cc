#include "sam-manager/protocol/response_times.h"

#include <gtest/gtest.h>

#include <array>

namespace samcl::protocol {
namespace {

TEST(ResponseTimes, EveryTimeLiesInItsBucket) {
  for (uint64_t ns = 1; ns < uint64_t{1} << 41; ns += 1 + ns / 7) {
    const size_t bucket = response_bucket(ns);
    EXPECT_LT(ns, response_bucket_end(bucket)) << ns;
    if (bucket > 0) {
      EXPECT_GE(ns, response_bucket_end(bucket - 1)) << ns;
      EXPECT_LE(static_cast<double>(response_bucket_end(bucket)), static_cast<double>(ns) * (1 + 1.0 / 16) + 1) << ns;
    }
  }
  EXPECT_EQ(response_bucket(UINT64_MAX), kResponseBuckets - 1);
  EXPECT_EQ(response_bucket(0), 0u);
}

TEST(ResponseTimes, PercentilesAreOfTheJobs) {
  std::array<uint64_t, kResponseBuckets> counts{};
  EXPECT_EQ(response_percentile(counts, 0.5), 0u);
  counts[response_bucket(1'000'000)] = 99;
  counts[response_bucket(50'000'000)] = 1;
  EXPECT_NEAR(static_cast<double>(response_percentile(counts, 0.5)), 1e6, 1e6 / 16);
  EXPECT_NEAR(static_cast<double>(response_percentile(counts, 0.99)), 1e6, 1e6 / 16);
  EXPECT_NEAR(static_cast<double>(response_percentile(counts, 1.0)), 5e7, 5e7 / 16);
}

}  // namespace
}  // namespace samcl::protocol
