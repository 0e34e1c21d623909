// What sam-analyze dbf found: as JSON, whose fields README.md of analysis/ documents, and as curves.
#pragma once

#include <optional>
#include <string>

#include "analysis/dbf/feasibility.h"
#include "analysis/dbf/task_demands.h"
#include "analysis/experiment/chart.h"

namespace samcl::analysis::cli {

// With the walks that demand most within t.
std::string format_demand(const dbf::TaskDemands& set, const dbf::Verdict& verdict, const dbf::Tightest& tightest,
                          Time t);

// Demand bounds as curves: over the length of an interval, what each task and all together demand at most,
// below or above the line where demand and length are equal.
// Up to t = end > 0, in milliseconds; `marked`: a t to point out.
Chart demand_chart(const dbf::TaskDemands& set, Time end, std::optional<Time> marked);

}  // namespace samcl::analysis::cli
