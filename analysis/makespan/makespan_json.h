// Worst cases as JSON, for tools. Slots throughout; warps, instructions and slots are counted from 0. All
// begin with
// {"kernel", "remarks": [...], "units": [{"unit", "capacity"}], "warps"}; remarks are what is to be said of
// the kernel.
#pragma once

#include "analysis/makespan/convergence.h"
#include "analysis/makespan/rounds.h"

namespace samcl::analysis::makespan {

using Remarks = std::vector<std::string>;

// {..., "pessimistic", "pessimistic_is_safe", "safe",
// "attained",
//  "bound", "exact", "states", "schedule": [[slot, warp, instruction]]}; the schedule only if wanted.
std::string format_worst_case(const Kernel& kernel, int warps, const WorstCase& worst, bool with_schedule,
                              const Remarks& remarks = {});

// {..., "full_rounds", "warps_of_full", "warps_of_last", "attained", "bound", "exact"}
std::string format_rounds(const Kernel& kernel, int64_t warps, const RoundsMakespan& makespan,
                          const Remarks& remarks = {});

// {..., "pessimistic", "safe", "attained", "bound", "exact", "estimate_exceeded",
//  "points": [{"warps", "makespan", "estimate", "least"}]}
std::string format_convergence(const Kernel& kernel, const Convergence& convergence, const Remarks& remarks = {});

}  // namespace samcl::analysis::makespan
