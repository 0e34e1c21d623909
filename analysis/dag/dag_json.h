// Tasks that are graphs (dag.h) as JSON; README.md of analysis/dag/ documents the fields.
#pragma once

#include <string>

#include "analysis/dag/dag.h"

namespace samcl::analysis::dag {

// Errors say where; what is returned has passed check().
Result<TaskSet> parse_dags(const std::string& text);
// parse_dags() of it gives the same set back. Times as numbers of nanoseconds.
std::string format_dags(const TaskSet& set);

// Each task's bounds alone on the platform, and what federate() gave it, if it found enough for all.
std::string format_federation(const TaskSet& set, const std::optional<std::vector<Platform>>& own);

}  // namespace samcl::analysis::dag
