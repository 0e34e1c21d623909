// The binary program solved by COIN-OR CBC. Built where that is installed.
#pragma once

#include <optional>

#include "analysis/makespan/binary_program.h"

namespace samcl::analysis::makespan {

struct Solved {
  Slots makespan = 0;
  Schedule schedule;  // checked: its makespan is that one
};

// Nothing if it takes longer than `seconds`. Errors: the solver says that there is no schedule, or its answer
// is none.
Result<std::optional<Solved>> solve_with_cbc(const Kernel& kernel, int warps, Conserving form, double seconds);

}  // namespace samcl::analysis::makespan
