// Pipeline tasks (model/task_set.h) as graphs: a chain of their stages.
#pragma once

#include <span>

#include "analysis/dag/dag.h"

namespace samcl::analysis::dag {

// A vertex for each subtask of a stage, all of them behind all of the stage before; what the CPU does between a stage's
// requests is one more. Priorities, sections and least times are not looked at. An error: bound devices, more than
// kMostVertices.
Result<TaskSet> chains(const analysis::TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis::dag
