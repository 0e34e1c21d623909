// Bounds for a person: tables, and one task's bound in words.
#pragma once

#include <string>

#include "analysis/json/task_set_json.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::cli {

// A response that is not bounded is shown all the same, with a mark, as far as there is a fixed point.
std::string response_text(const TaskBound& bound, Form form);
// What the mark means, where some task has it.
std::string mark_text(const Bounds& bounds, Form form);

// Whether every task meets its deadline, or which may not, the most urgent first, and by how much.
std::string verdict_text(const TaskSet& set, Form form, const Bounds& bounds, const PriorityOrder& order);

// Every task beside its deadline.
std::string tasks_table(const TaskSetDocument& document, Form form, const Bounds& bounds, const PriorityOrder& order);

// And every stage, and the verdict.
std::string bounds_tables(const TaskSetDocument& document, Form form, const Bounds& bounds);

// Why one task's bound is what it is: "waits up to 3.1 ms for P1 ...".
std::string explanation(const TaskSetDocument& document, Form form, const Bounds& bounds, size_t task);

}  // namespace samcl::analysis::cli
