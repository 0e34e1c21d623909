#include "libsamcl/plan/launch_cost.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/rectangle.h"

namespace samcl {
namespace {

// Of merging on the host: bytes/ns, and what it takes to begin.
constexpr double kMergingRate = 3;
constexpr uint64_t kMergingNs = 100'000;

// Bytes do not move ahead for less than such a part of a launch: predictions err by as much.
constexpr uint64_t kLeastSaved = 8;

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
  uint64_t ns(double rate, const TransferRates& rates) const {
    if (ranges.empty()) return 0;
    const size_t commands = as_rectangles(ranges).size();
    return rates.latency + (commands - 1) * rates.range + static_cast<uint64_t>(static_cast<double>(bytes) / rate);
  }
};

// Where a storage's bytes are on a device.
Place place_on(const BufferAccess& access, unsigned device, const Directory&) { return access.place_for(device); }
// Imagined devices share no memory.
Place place_on(const BufferAccess&, unsigned device, const ImaginedDirectory&) { return ManyPlaces::of_device(device); }

Places places_of(Place place, const Directory&) { return only(place); }
ManyPlaces places_of(Place place, const ImaginedDirectory&) { return ManyPlaces(place); }

Place first_of(Places places) { return lowest(places); }
Place first_of(const ManyPlaces& places) {
  Place place = 0;
  while (!contains(places, place)) ++place;
  return place;
}

// What parts wait for.
struct Moved {
  uint64_t ns = 0;
  uint64_t from_host = 0, from_devices = 0;  // bytes
  uint64_t needed = 0;                       // bytes, with those that are there
};

// Of what parts need, at most such a part comes from other devices where bytes pass while they compute: a halo.
constexpr uint64_t kHaloPart = 32;
// The layer that waits for it computes at most such a part of the whole, and takes so many ns to launch with the one of
// the other end. However short they are, such launches follow each other no faster than the host hears of the layers'
// ends, and has the driver copy and launch, one command at a time for all devices (two H100: 145 us where nothing
// computes longer, four: 350).
constexpr uint64_t kLayerPart = 16, kLayersNs = 10'000, kLeastLayeredNsOfPart = 65'000;

template <typename Known>
Moved moved(const BufferAccess& access, size_t part, Place place, const TransferRates& rates, const Known& directory) {
  Exchanged from_host, from_devices;
  uint64_t needed = 0;
  for (const Range& range : access.needs(part)) {
    needed += range.size();
    if (directory.missing_bytes(range, place) == 0) continue;
    for (const auto& piece : directory.missing(range, place)) {
      if (!contains(piece.valid, kZeros)) (contains(piece.valid, kHost) ? from_host : from_devices).add(piece.range);
    }
  }
  return {from_host.ns(rates.host, rates) + from_devices.ns(rates.exchange, rates), from_host.bytes, from_devices.bytes,
          needed};
}

// Where parts have been seen to be faster, they may be predicted to cost more by such a part.
constexpr uint64_t kUncertain = 4;

uint64_t ns_for(uint64_t bytes, double rate) { return static_cast<uint64_t>(static_cast<double>(bytes) / rate); }

}  // namespace

double longest_share(const LaunchPlan& plan, uint64_t busy_groups) {
  if (plan.most_work > 0) return plan.most_work;
  double all = 0, written = 0, longest = 0;
  for (const Part& part : plan.parts) all += static_cast<double>(part.box.total());
  for (const uint64_t bytes : plan.written) written += static_cast<double>(bytes);
  const auto busy = static_cast<double>(busy_groups);
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    const double groups = written > 0 ? all * static_cast<double>(plan.written[p]) / written
                                      : static_cast<double>(plan.parts[p].box.total());
    longest = std::max(longest, std::max(groups, busy) / (plan.speeds.empty() ? 1 : plan.speeds[p]));
  }
  return longest / std::max(all, busy);
}

namespace {

template <typename Known>
Moved all_moved(const LaunchPlan& plan, const TransferRates& rates, const DirectoryFrom<Known>& directory) {
  Moved all;
  uint64_t merged = 0;
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    uint64_t moving = 0;
    for (const BufferAccess& access : plan.accesses) {
      const Known& known = directory(*access.storage);
      const Moved of_it = moved(access, p, place_on(access, plan.parts[p].device, known), rates, known);
      moving += of_it.ns;
      all.from_host += of_it.from_host;
      all.from_devices += of_it.from_devices;
      all.needed += of_it.needed;
      if (access.to_merge(plan.parts.size())) merged += access.range.size();
    }
    all.ns = std::max(all.ns, moving);
  }
  all.ns = std::max(all.ns, ns_for(all.from_host, rates.uplink));
  if (merged == 0) return all;
  // Merging takes each device's bytes to the host, compares them there, and takes the result to each.
  const double passes = static_cast<double>(plan.parts.size() + 2);
  all.ns += kMergingNs + static_cast<uint64_t>(passes * static_cast<double>(merged) / kMergingRate);
  return all;
}

bool is_halo(const Moved& moved) {
  return moved.from_host == 0 && moved.from_devices > 0 && moved.from_devices * kHaloPart <= moved.needed;
}

}  // namespace

template <typename Known>
uint64_t moving_ns(const LaunchPlan& plan, const TransferRates& rates, const DirectoryFrom<Known>& directory) {
  return all_moved(plan, rates, directory).ns;
}

template <typename Known>
uint64_t fetching_ns(std::span<const Range> ranges, const TransferRates& rates, const Known& directory) {
  std::map<Place, uint64_t> from;
  uint64_t bytes = 0, longest = 0;
  for (const Range& range : ranges) {
    for (const auto& piece : directory.missing(range, kHost)) {
      if (contains(piece.valid, kZeros)) continue;
      from[first_of(piece.valid)] += piece.range.size();
      bytes += piece.range.size();
    }
  }
  for (const auto& [place, of_it] : from) longest = std::max(longest, rates.latency + ns_for(of_it, rates.host));
  return std::max(longest, ns_for(bytes, rates.uplink));
}

namespace {

// Of so many parts of such a plan, of which the longest computes that long, where so much moves.
uint64_t parts_ns(const LaunchPlan& plan, size_t parts, double computing_ns, const Moved& moved,
                  const TransferRates& rates) {
  const auto computing = static_cast<uint64_t>(computing_ns);
  const uint64_t waiting = rates.hand_over + moved.ns;
  if (!plan.may_overlap || !is_halo(moved))
    return std::max(computing + waiting, rates.giving_ns(parts, moved.from_devices > 0));
  return std::max({computing, waiting + computing / kLayerPart, parts * kLeastLayeredNsOfPart}) + kLayersNs;
}

}  // namespace

template <typename Known>
uint64_t launch_ns(const LaunchPlan& plan, uint64_t computing_ns, uint64_t busy_groups, const TransferRates& rates,
                   const DirectoryFrom<Known>& directory) {
  const Moved moved = all_moved(plan, rates, directory);
  if (!plan.is_split()) return computing_ns + moved.ns;
  const double longest = static_cast<double>(computing_ns) * longest_share(plan, busy_groups);
  return parts_ns(plan, plan.parts.size(), longest, moved, rates);
}

template <typename Known>
SmallVector<uint64_t, 8> costs_on(std::span<const size_t> devices, const LaunchPlan& split, ComputingTimes times,
                                  uint64_t busy_groups, const TransferRates& rates,
                                  const DirectoryFrom<Known>& directory) {
  const Moved moved = all_moved(split, rates, directory);
  uint64_t groups = 0;
  for (const Part& part : split.parts) groups += part.box.total();
  const double of_all = longest_share(split, 0) * static_cast<double>(split.parts.size());
  const double least = static_cast<double>(busy_groups) / static_cast<double>(std::max(groups, busy_groups));
  SmallVector<uint64_t, 8> costs;
  for (const size_t count : devices) {
    const double share = std::clamp(of_all / static_cast<double>(count), least, 1.0);
    const double longest = static_cast<double>(times.parts) * share;
    costs.push_back(std::min(times.whole, parts_ns(split, count, longest, moved, rates)));
  }
  return costs;
}

template <typename Known>
Cheaper cheaper(const LaunchPlan& whole, const LaunchPlan* split, Moving* moving, ComputingTimes times,
                uint64_t busy_groups, const TransferRates& rates, const DirectoryFrom<Known>& directory) {
  const uint64_t in_one = launch_ns(whole, times.whole, busy_groups, rates, directory);
  if (!split || times.whole < 2 * kHandOver) return {false, in_one};
  const uint64_t in_parts = launch_ns(*split, times.parts, busy_groups, rates, directory);
  // Half of what has to move is taken to be of use later, too: where parts write what they will need there.
  const uint64_t to_move = moving_ns(*split, rates, directory);
  if (in_parts - (split->is_held() ? 0 : to_move / 2) < in_one) {
    if (moving) moving->stays();
    return {true, in_parts, in_parts};
  }
  const uint64_t in_place = in_parts - to_move;
  const bool saves = in_place + in_one / kLeastSaved <= in_one;
  const bool moves = moving && saves && moving->pays(in_one - in_place, to_move);
  return {moves, moves ? in_parts : in_one, in_parts};
}

template <typename Known>
Choice choose_way(Ways& ways, const LaunchPlan& whole, const LaunchPlan* split, Moving* moving, ComputingTimes times,
                  uint64_t busy_groups, const TransferRates& rates, const DirectoryFrom<Known>& here,
                  const DirectoryFrom<Known>& there) {
  if (!ways.differ() && (!split || times.whole < 2 * kHandOver)) return {};
  const bool split_is_here = ways.taken() == Ways::Way::split;
  const auto &on_whole = split_is_here ? there : here, &on_split = split_is_here ? here : there;
  LaunchCosts costs;
  costs.whole = launch_ns(whole, times.whole, busy_groups, rates, on_whole);
  const Cheaper best = cheaper(whole, split, moving, times, busy_groups, rates, on_split);
  costs.split = best.ns;
  const bool splits = best.splits || (split && !split->is_held() && ways.splits_faster() &&
                                      best.in_parts_ns <= best.ns + best.ns / kUncertain);
  if (splits) ways.split_way_splits();
  const LaunchPlan& other = splits && !split_is_here ? *split : whole;
  simulate(other, there);
  ways.add(costs, splits ? moving_ns(other, rates, here) : Ways::kNotHere);
  using Found = Judging::Found;
  const double share = split ? longest_share(*split, busy_groups) : 1;
  const bool in_place = static_cast<double>(times.parts) * share + static_cast<double>(rates.hand_over) <
                        static_cast<double>(costs.whole);
  return {splits && ways.taken() == Ways::Way::split, splits     ? Found::parts_cost_less
                                                      : in_place ? Found::moving_costs_more
                                                                 : Found::parts_cost_more};
}

template <typename Known>
void simulate(const LaunchPlan& plan, const DirectoryFrom<Known>& directory) {
  for (const BufferAccess& access : plan.accesses) {
    Known& known = directory(*access.storage);
    const auto on = [&](size_t part) { return place_on(access, plan.parts[part].device, known); };
    for (size_t p = 0; p < plan.parts.size(); ++p) {
      for (const Range& range : access.needs(p)) known.copied(range, on(p));
    }
    if (!access.written) continue;
    if (access.shares.empty()) {
      known.written(access.range, places_of(access.to_merge(plan.parts.size()) ? kHost : on(0), known));
    }
    for (size_t p = 0; p < access.shares.size(); ++p) {
      for (const Range& range : access.shares[p].writes) known.written(range, places_of(on(p), known));
    }
  }
}

#define SAMCL_FOR(Known)                                                                                           \
  template uint64_t moving_ns(const LaunchPlan&, const TransferRates&, const DirectoryFrom<Known>&);               \
  template uint64_t fetching_ns(std::span<const Range>, const TransferRates&, const Known&);                       \
  template uint64_t launch_ns(const LaunchPlan&, uint64_t, uint64_t, const TransferRates&,                         \
                              const DirectoryFrom<Known>&);                                                        \
  template SmallVector<uint64_t, 8> costs_on(std::span<const size_t>, const LaunchPlan&, ComputingTimes, uint64_t, \
                                             const TransferRates&, const DirectoryFrom<Known>&);                   \
  template Cheaper cheaper(const LaunchPlan&, const LaunchPlan*, Moving*, ComputingTimes, uint64_t,                \
                           const TransferRates&, const DirectoryFrom<Known>&);                                     \
  template Choice choose_way(Ways&, const LaunchPlan&, const LaunchPlan*, Moving*, ComputingTimes, uint64_t,       \
                             const TransferRates&, const DirectoryFrom<Known>&, const DirectoryFrom<Known>&);      \
  template void simulate(const LaunchPlan&, const DirectoryFrom<Known>&);
SAMCL_FOR(Directory)
SAMCL_FOR(ImaginedDirectory)
#undef SAMCL_FOR

}  // namespace samcl
