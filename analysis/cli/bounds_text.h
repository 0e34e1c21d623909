// Bounds for a person: tables, and one task's bound in words.
#pragma once

#include <string>

#include "analysis/json/task_set_json.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::cli {

// Every task beside its deadline, every stage, and the verdict.
std::string bounds_tables(const TaskSetDocument& document, Form form, const Bounds& bounds);

// Why one task's bound is what it is: "waits up to 3.1 ms for P1 ...".
std::string explanation(const TaskSetDocument& document, Form form, const Bounds& bounds, size_t task);

}  // namespace samcl::analysis::cli
