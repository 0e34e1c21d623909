// What sam-analyze dbf found, as JSON; README.md of analysis/ documents the fields.
#pragma once

#include <string>

#include "analysis/dbf/feasibility.h"
#include "analysis/dbf/task_demands.h"

namespace samcl::analysis {

// With the walks that demand most within t.
std::string format_demand(const dbf::TaskDemands& set, const dbf::Verdict& verdict, const dbf::Tightest& tightest,
                          Time t);

}  // namespace samcl::analysis
