// Worst-case makespans as people read them.
#pragma once

#include <string>
#include <vector>

#include "analysis/makespan/convergence.h"
#include "analysis/makespan/rounds.h"

namespace samcl::analysis::cli {

// "LLCLL (5 instructions; L: 1 warp per slot, ...)"; long strings are cut.
std::string kernel_line(const makespan::Kernel& kernel);

std::string worst_case_text(const makespan::Kernel& kernel, int warps, const makespan::WorstCase& worst);
// What `runs` simulations of each scheduler take beside it.
std::string schedulers_text(const makespan::Kernel& kernel, int warps, const makespan::WorstCase& worst, int runs);
std::string rounds_text(const makespan::RoundsMakespan& makespan, const makespan::Multiprocessors& multiprocessors);
std::string convergence_text(const makespan::Convergence& convergence);

}  // namespace samcl::analysis::cli
