#include "libsamcl/plan/launch_cost.h"

#include <algorithm>

namespace samcl {
namespace {

// Of merging on the host: bytes/ns, and what it takes to begin.
constexpr double kMergingRate = 3;
constexpr uint64_t kMergingNs = 100'000;

// Bytes of a part that come from the host and from other devices.
struct Moves {
  uint64_t host = 0, exchanged = 0, pieces = 0;
};

void add(Moves& moves, const Directory& directory, const Range& range, Place place) {
  if (directory.missing_bytes(range, place) == 0) return;
  for (const auto& piece : directory.missing(range, place)) {
    if (contains(piece.valid, kZeros)) continue;
    (contains(piece.valid, kHost) ? moves.host : moves.exchanged) += piece.range.size();
    ++moves.pieces;
  }
}

}  // namespace

uint64_t moving_ns(const LaunchPlan& plan, const TransferRates& rates, const DirectoryOf& directory) {
  uint64_t longest = 0, merged = 0;
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    Moves moves;
    for (const BufferAccess& access : plan.accesses) {
      const Place place = access.storage->place_of(plan.parts[p].device);
      for (const Range& range : access.needs(p)) add(moves, directory(*access.storage), range, place);
      if (access.to_merge(plan.parts.size())) merged += access.range.size();
    }
    const double ns = static_cast<double>(moves.host) / rates.host + static_cast<double>(moves.exchanged) / rates.exchange;
    longest = std::max(longest, static_cast<uint64_t>(ns) + moves.pieces * rates.latency);
  }
  if (merged == 0) return longest;
  // Merging takes each device's bytes to the host, compares them there, and takes the result to each.
  const double passes = static_cast<double>(plan.parts.size() + 2);
  return longest + kMergingNs + static_cast<uint64_t>(passes * static_cast<double>(merged) / kMergingRate);
}

uint64_t launch_ns(const LaunchPlan& plan, uint64_t whole_ns, const TransferRates& rates, const DirectoryOf& directory) {
  const uint64_t moving = moving_ns(plan, rates, directory);
  if (!plan.is_split()) return whole_ns + moving;
  return whole_ns / plan.parts.size() + kHandOver + moving;
}

void simulate(const LaunchPlan& plan, const DirectoryOf& directory) {
  for (const BufferAccess& access : plan.accesses) {
    Directory& known = directory(*access.storage);
    for (size_t p = 0; p < plan.parts.size(); ++p) {
      for (const Range& range : access.needs(p)) known.copied(range, access.storage->place_of(plan.parts[p].device));
    }
    if (!access.written) continue;
    if (access.shares.empty()) known.written(access.range, access.to_merge(plan.parts.size()) ? only(kHost) : only(plan.parts[0].device));
    for (size_t p = 0; p < access.shares.size(); ++p) {
      for (const Range& range : access.shares[p].writes) known.written(range, only(plan.parts[p].device));
    }
  }
}

}  // namespace samcl
