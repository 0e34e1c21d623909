// Demand bounds as a plot: over the length of an interval, what each task and all together demand at most,
// below or above the line where demand and length are equal.
#pragma once

#include <optional>
#include <string>

#include "analysis/dbf/feasibility.h"
#include "analysis/dbf/task_demands.h"

namespace samcl::analysis {

// Up to t = end > 0; `marked`: a t to point out.
std::string demand_svg(const dbf::TaskDemands& set, Time end, std::optional<Time> marked);

}  // namespace samcl::analysis
