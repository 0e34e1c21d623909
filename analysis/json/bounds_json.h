// Bounds as JSON and as CSV; README.md of analysis/ documents the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/model/task_set.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis {

const char* name(Form form);  // "gpu-sam", "gpu-sparc", "safe"

// Whether the response is a bound of that form: the published ones have no proof that a number could be beyond.
bool is_bounded(const TaskBound& bound, Form form);

nlohmann::ordered_json number_or_null(Time time);  // null for kUnbounded

// Nanoseconds; null where there is no bound.
std::string format_bounds(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds);

// One line per stage, below a line of column names; empty where there is no bound. The last column has the task's
// number that is none, beyond the safe form's proof.
std::string format_bounds_csv(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds);

}  // namespace samcl::analysis
