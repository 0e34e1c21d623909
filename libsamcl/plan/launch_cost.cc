#include "libsamcl/plan/launch_cost.h"

#include <algorithm>
#include <vector>

#include "base/rectangle.h"

namespace samcl {
namespace {

// Of merging on the host: bytes/ns, and what it takes to begin.
constexpr double kMergingRate = 3;
constexpr uint64_t kMergingNs = 100'000;

// A range of an exchange that is neither alone nor one of rows: a command of its own.
constexpr uint64_t kRangeNs = 5'000;

// What of one storage comes from one kind of place: one exchange.
struct Exchanged {
  uint64_t bytes = 0;
  std::vector<Range> ranges;

  void add(const Range& range) {
    bytes += range.size();
    if (!ranges.empty() && ranges.back().end == range.begin)
      ranges.back().end = range.end;
    else
      ranges.push_back(range);
  }
  uint64_t ns(double rate, uint64_t latency) const {
    if (ranges.empty()) return 0;
    const size_t commands = as_rows(ranges) ? 1 : ranges.size();
    return latency + (commands - 1) * kRangeNs + static_cast<uint64_t>(static_cast<double>(bytes) / rate);
  }
};

uint64_t moving_ns(const BufferAccess& access, size_t part, Place place, const TransferRates& rates,
                   const Directory& directory) {
  Exchanged from_host, from_devices;
  for (const Range& range : access.needs(part)) {
    if (directory.missing_bytes(range, place) == 0) continue;
    for (const auto& piece : directory.missing(range, place)) {
      if (!contains(piece.valid, kZeros)) (contains(piece.valid, kHost) ? from_host : from_devices).add(piece.range);
    }
  }
  return from_host.ns(rates.host, rates.latency) + from_devices.ns(rates.exchange, rates.latency);
}

// How long the parts compute that take longest, of what all would on the first device.
double share_of(const LaunchPlan& plan, uint64_t busy_groups) {
  uint64_t all = 0;
  double longest = 0;
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    const uint64_t groups = plan.parts[p].box.total();
    all += groups;
    longest = std::max(longest,
                       static_cast<double>(std::max(groups, busy_groups)) / (plan.speeds.empty() ? 1 : plan.speeds[p]));
  }
  return longest / static_cast<double>(std::max(all, busy_groups));
}

}  // namespace

uint64_t moving_ns(const LaunchPlan& plan, const TransferRates& rates, const DirectoryOf& directory) {
  uint64_t longest = 0, merged = 0;
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    uint64_t moving = 0;
    for (const BufferAccess& access : plan.accesses) {
      const Place place = access.storage->place_of(plan.parts[p].device);
      moving += moving_ns(access, p, place, rates, directory(*access.storage));
      if (access.to_merge(plan.parts.size())) merged += access.range.size();
    }
    longest = std::max(longest, moving);
  }
  if (merged == 0) return longest;
  // Merging takes each device's bytes to the host, compares them there, and takes the result to each.
  const double passes = static_cast<double>(plan.parts.size() + 2);
  return longest + kMergingNs + static_cast<uint64_t>(passes * static_cast<double>(merged) / kMergingRate);
}

uint64_t launch_ns(const LaunchPlan& plan, uint64_t whole_ns, uint64_t busy_groups, const TransferRates& rates,
                   const DirectoryOf& directory) {
  const uint64_t moving = moving_ns(plan, rates, directory);
  if (!plan.is_split()) return whole_ns + moving;
  return static_cast<uint64_t>(static_cast<double>(whole_ns) * share_of(plan, busy_groups)) + rates.hand_over + moving;
}

void simulate(const LaunchPlan& plan, const DirectoryOf& directory) {
  for (const BufferAccess& access : plan.accesses) {
    Directory& known = directory(*access.storage);
    for (size_t p = 0; p < plan.parts.size(); ++p) {
      for (const Range& range : access.needs(p)) known.copied(range, access.storage->place_of(plan.parts[p].device));
    }
    if (!access.written) continue;
    if (access.shares.empty())
      known.written(access.range, access.to_merge(plan.parts.size()) ? only(kHost) : only(plan.parts[0].device));
    for (size_t p = 0; p < access.shares.size(); ++p) {
      for (const Range& range : access.shares[p].writes) known.written(range, only(plan.parts[p].device));
    }
  }
}

}  // namespace samcl
