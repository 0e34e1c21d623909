// Tasks that are graphs (dag.h) as JSON; README.md of analysis/dag/ documents the fields.
#pragma once

#include <string>

#include "analysis/dag/dag.h"

namespace samcl::analysis::dag {

// Errors say where; what is returned has passed check().
Result<TaskSet> parse_dags(const std::string& text);
// parse_dags() of it gives the same set back. Times as numbers of nanoseconds.
std::string format_dags(const TaskSet& set);

}  // namespace samcl::analysis::dag
