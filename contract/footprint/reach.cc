#include "contract/footprint/reach.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "contract/footprint/linear_form.h"

namespace samcl {
namespace {

using footprint::divide_down;
using footprint::Wide;

// Shifted by as many bytes.
struct Placed {
  const Reach& reach;
  Wide start;
  Wide low() const { return start + reach.low; }
  Wide high() const { return start + reach.high; }
};

bool are_apart_as_a_whole(const Placed& a, const Placed& b) {
  if (a.reach.is_anywhere || b.reach.is_anywhere) return false;
  return a.start + a.reach.all_high <= b.start + b.reach.all_low ||
         b.start + b.reach.all_high <= a.start + a.reach.all_low;
}

bool go_together(const Placed& a, const Placed& b) {
  return !a.reach.is_anywhere && !b.reach.is_anywhere && a.reach.step == b.reach.step && a.reach.step != 0;
}

// Both move by the same step, which is more than the two together are wide; and no multiple of the lattice brings one
// launch to where another one is.
bool are_apart_step_by_step(const Placed& a, const Placed& b, int64_t distance, uint64_t launches) {
  if (!go_together(a, b)) return false;
  const Wide step = a.reach.step < 0 ? -Wide{a.reach.step} : Wide{a.reach.step};
  const Wide lattice = std::gcd(a.reach.lattice, b.reach.lattice);
  const Wide moved = Wide{b.reach.step} * distance;
  Wide low = b.low() + moved, high = b.high() + moved;
  if (lattice > 0) {  // as near to the other as there is one
    const Wide turns = divide_down(low - a.low() + lattice / 2, lattice);
    low -= turns * lattice;
    high -= turns * lattice;
  }
  const Wide width = std::max(a.high(), high) - std::min(a.low(), low);
  if (width > step) return false;
  return lattice == 0 || step * (static_cast<Wide>(launches) - 1) + width <= lattice;
}

// Of all pairs of accesses of which one writes memory that both use.
template <typename Holds>
bool all_pairs(const ReachingLaunches& a, const ReachingLaunches& b, const Holds& holds) {
  return std::ranges::all_of(a.reaches, [&](const Reach& one) {
    return std::ranges::all_of(b.reaches, [&](const Reach& other) {
      const ReachPlace &place = a.places[one.argument], &others = b.places[other.argument];
      if ((!one.writes && !other.writes) || place.memory != others.memory) return true;
      return holds(Placed{one, place.start}, Placed{other, others.start});
    });
  });
}

}  // namespace

bool launches_are_apart(const ReachingLaunches& a, const ReachingLaunches& b, int64_t distance) {
  // Numbers as the other's ones are counted.
  const uint64_t launches = std::max(a.count, b.count) + static_cast<uint64_t>(std::abs(distance));
  return all_pairs(a, b, [&](const Placed& one, const Placed& other) {
    return are_apart_step_by_step(one, other, distance, launches) || are_apart_as_a_whole(one, other);
  });
}

std::optional<int64_t> distance_of_meeting(const ReachingLaunches& a, const ReachingLaunches& b) {
  std::optional<int64_t> first;
  all_pairs(a, b, [&](const Placed& one, const Placed& other) {
    if (!first && go_together(one, other) && !are_apart_as_a_whole(one, other)) {
      const Wide step = one.reach.step, past = one.low() - other.low();
      first = static_cast<int64_t>(step > 0 ? divide_down(past, step) : divide_down(-past, -step));
    }
    return !first;
  });
  const int64_t from = first.value_or(0);
  for (const int64_t distance : {from, from + 1})
    if (launches_are_apart(a, b, distance)) return distance;
  return std::nullopt;
}

}  // namespace samcl
