// Bounds as CSV; README.md of analysis/ documents the columns.
#pragma once

#include <string>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

// One line per stage, below a line of column names; empty where there is no bound. The last column has the task's
// number that is none, beyond the safe form's proof.
std::string format_bounds_csv(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds);

}  // namespace samcl::analysis
