// Small sums over sets of places, and what of a range goes over which device's link.
#pragma once

#include <bit>
#include <vector>

#include "libsamcl/coherence/directory.h"

namespace samcl {

inline unsigned lowest(Places places) { return static_cast<unsigned>(std::countr_zero(places)); }

// Calls visit(place) for each, from the lowest on.
template <typename Visit>
void for_each_place(Places places, Visit visit) {
  for (; places != 0; places &= places - 1) visit(lowest(places));
}

// A range that is valid on these devices, as pieces that come from one each: a long one from all that are in use, over
// all their links at once.
std::vector<Directory::Piece> spread_over_links(Range range, Places valid, Places in_use);

}  // namespace samcl
