// What of a range goes over which device's link.
#pragma once

#include <vector>

#include "libsamcl/coherence/directory.h"

namespace samcl {

// A range that is valid on these devices, as pieces that come from one each: a long one from all that are in use, over
// all their links at once.
std::vector<Directory::Piece> spread_over_links(Range range, Places valid, Places in_use);

}  // namespace samcl
