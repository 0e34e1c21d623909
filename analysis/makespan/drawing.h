// Schedules of warps, and the convergence of estimates, as pictures.
#pragma once

#include "analysis/experiment/chart.h"
#include "analysis/makespan/convergence.h"

namespace samcl::analysis::makespan {

// A line per warp and a column per slot, as in the paper's Figure 2: the letter of the instruction issued,
// '-' while its latency keeps the warp, '.' while the warp waits for a unit. Below, per unit, how many warps
// it takes ('+' above 9). Lines are cut into blocks of `columns` slots.
std::string schedule_text(const Kernel& kernel, int warps, const Schedule& schedule, int columns = 100);

// The same as SVG, a colour per unit. Errors: more than some ten thousand instructions or a thousand slots.
Result<std::string> schedule_svg(const Kernel& kernel, int warps, const Schedule& schedule, const std::string& title);

// Over y: the estimate ceil(W / y) T(y) and the least of them so far; across, the pessimistic bound and T(W).
// Then, if it was measured, how long each T(y) took.
std::vector<Chart> convergence_charts(const Convergence& convergence, const std::string& title);

}  // namespace samcl::analysis::makespan
