// Demand bounds as curves: over the length of an interval, what each task and all together demand at most,
// below or above the line where demand and length are equal.
#pragma once

#include <optional>

#include "analysis/dbf/feasibility.h"
#include "analysis/dbf/task_demands.h"
#include "analysis/experiment/chart.h"

namespace samcl::analysis {

// Up to t = end > 0, in milliseconds; `marked`: a t to point out.
Chart demand_chart(const dbf::TaskDemands& set, Time end, std::optional<Time> marked);

}  // namespace samcl::analysis
