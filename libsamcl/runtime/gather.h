// Bringing bytes to the host from several devices at once.
#pragma once

#include <vector>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/runtime/steps.h"

namespace samcl {

// Which device sends which part of a range that is valid on the devices `valid`: large ones come in equal shares over
// the links of all that are in use. Each part names one device.
std::vector<Directory::Piece> spread_over_links(const Context& context, Range range, Places valid);

// What makes `range` valid at the host, one step per device that has some of it; large pieces that several devices
// have come over all their links. For commands that hold the storage exclusively. Empty if nothing is missing.
std::vector<Step> gather(const std::shared_ptr<Storage>& storage, Range range, Traffic& traffic);

}  // namespace samcl
