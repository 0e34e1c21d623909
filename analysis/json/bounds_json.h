// Bounds as JSON; README.md of analysis/ documents the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/model/task_set.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis {

const char* name(Form form);                                 // "gpu-sam", "gpu-sparc", "safe"
const char* analysis_name(Form form, const Bounds& bounds);  // likewise, or "together"

// Whether the response is a bound of that form: the published ones have no proof that a number could be beyond.
bool is_bounded(const TaskBound& bound, Form form);

nlohmann::ordered_json number_or_null(Time time);  // null for kUnbounded

// Nanoseconds; null where there is no bound.
std::string format_bounds(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds);

}  // namespace samcl::analysis
