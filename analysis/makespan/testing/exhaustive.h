// The worst-case makespan by trying everything, to test worst_case() with: warp by warp, without any of the
// arguments by which that one is faster.
#pragma once

#include "analysis/makespan/model.h"

namespace samcl::analysis::makespan {

// Time and memory grow exponentially with warps and instructions: up to some 5 warps of 5 instructions.
Slots exhaustive_worst_case(const Kernel& kernel, int warps);

}  // namespace samcl::analysis::makespan
