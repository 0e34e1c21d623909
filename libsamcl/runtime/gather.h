// Bringing bytes to a buffer's host copy from several devices at once.
#pragma once

#include <vector>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/runtime/steps.h"

namespace samcl {

// What makes `range` valid at the host, one step per device that has some of it; large pieces that several devices
// have come over all their links. For commands that hold the storage exclusively. Empty if nothing is missing.
std::vector<Step> gather(const std::shared_ptr<Storage>& storage, Range range, Traffic& traffic);

}  // namespace samcl
