#include "contract/footprint/reach.h"

#include <algorithm>
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

// Both move by the same step, which is more than the two together are wide; and no multiple of the lattice brings one
// launch to where another one is.
bool are_apart_step_by_step(const Placed& a, const Placed& b, uint64_t launches) {
  if (a.reach.is_anywhere || b.reach.is_anywhere || a.reach.step != b.reach.step || a.reach.step == 0) return false;
  const Wide step = a.reach.step < 0 ? -Wide{a.reach.step} : Wide{a.reach.step};
  const Wide lattice = std::gcd(a.reach.lattice, b.reach.lattice);
  Wide low = b.low(), high = b.high();
  if (lattice > 0) {  // as near to the other as there is one
    const Wide turns = divide_down(low - a.low() + lattice / 2, lattice);
    low -= turns * lattice;
    high -= turns * lattice;
  }
  const Wide width = std::max(a.high(), high) - std::min(a.low(), low);
  if (width > step) return false;
  return lattice == 0 || step * (static_cast<Wide>(launches) - 1) + width <= lattice;
}

}  // namespace

bool launches_are_apart(std::span<const Reach> a, std::span<const ReachPlace> places_of_a, std::span<const Reach> b,
                        std::span<const ReachPlace> places_of_b, uint64_t launches) {
  return std::ranges::all_of(a, [&](const Reach& one) {
    return std::ranges::all_of(b, [&](const Reach& other) {
      if (!one.writes && !other.writes) return true;
      const ReachPlace &place = places_of_a[one.argument], &others = places_of_b[other.argument];
      if (place.memory != others.memory) return true;
      const Placed x{one, place.start}, y{other, others.start};
      return are_apart_step_by_step(x, y, launches) || are_apart_as_a_whole(x, y);
    });
  });
}

}  // namespace samcl
