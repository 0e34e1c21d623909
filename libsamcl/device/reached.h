// How far a device's queue has come, as other devices may wait for it (device/timelines.h).
#pragma once

#include <cstdint>

#include "base/small_vector.h"

namespace samcl {

// That a device's queue has come so far. Positions count what was issued to it, from 1.
struct Reached {
  unsigned device = 0;
  uint64_t position = 0;
};
using ReachedList = SmallVector<Reached, 1>;

}  // namespace samcl
