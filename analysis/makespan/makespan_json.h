// Worst cases as JSON, for tools. Slots throughout; warps, instructions and slots are counted from 0.
#pragma once

#include "analysis/makespan/convergence.h"
#include "analysis/makespan/rounds.h"

namespace samcl::analysis::makespan {

// {"kernel", "units": [{"unit", "capacity"}], "warps", "pessimistic", "pessimistic_is_safe", "safe",
// "attained",
//  "bound", "exact", "states", "schedule": [[slot, warp, instruction]]}; the schedule only if wanted.
std::string format_worst_case(const Kernel& kernel, int warps, const WorstCase& worst, bool with_schedule);

// {"kernel", "units", "warps", "full_rounds", "warps_of_full", "warps_of_last", "attained", "bound", "exact"}
std::string format_rounds(const Kernel& kernel, int64_t warps, const RoundsMakespan& makespan);

// {"kernel", "units", "warps", "pessimistic", "safe", "attained", "bound", "exact", "estimate_exceeded",
//  "points": [{"warps", "makespan", "estimate", "least"}]}
std::string format_convergence(const Kernel& kernel, const Convergence& convergence);

}  // namespace samcl::analysis::makespan
