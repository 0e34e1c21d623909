// A histogram of response times with a relative error of 1/16 at most: 16 buckets in each power of two, from
// about 1 us to about an hour. What is shorter or longer goes into the first and last bucket. Pure logic.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace samcl::protocol {

constexpr size_t kResponseBuckets = 512;
constexpr int kBucketBits = 4;      // of a bucket's place within its power of two
constexpr int kShortestPower = 10;  // 2^10 ns

constexpr size_t response_bucket(uint64_t ns) {
  if (ns < uint64_t{1} << kShortestPower) return 0;
  const int power = 63 - std::countl_zero(ns);
  const uint64_t within = (ns >> (power - kBucketBits)) & ((1u << kBucketBits) - 1);
  const size_t bucket = (static_cast<size_t>(power - kShortestPower) << kBucketBits) + within;
  return std::min(bucket, kResponseBuckets - 1);
}

// The shortest time that is longer than all in the bucket.
constexpr uint64_t response_bucket_end(size_t bucket) {
  const int power = kShortestPower + static_cast<int>(bucket >> kBucketBits);
  const uint64_t within = bucket & ((1u << kBucketBits) - 1);
  return (uint64_t{1} << power) + ((within + 1) << (power - kBucketBits));
}

// What `share` (0 to 1) of all times do not exceed, rounded up to a bucket's end; 0 if there are none.
template <typename Counts>
uint64_t response_percentile(const Counts& counts, double share) {
  uint64_t total = 0;
  for (const uint64_t count : counts) total += count;
  const auto wanted = static_cast<double>(total) * share;
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kResponseBuckets; ++bucket) {
    seen += counts[bucket];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return response_bucket_end(bucket);
  }
  return 0;
}

}  // namespace samcl::protocol
