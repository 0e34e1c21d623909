// Sporadic tasks (model/task_set.h) as recurring tasks of one vertex.
#pragma once

#include "analysis/dbf/task_graph.h"

namespace samcl::analysis::dbf {

// An error: another platform than one CPU, a stage that is not on it.
Result<std::vector<TaskGraph>> sporadic(const TaskSet& set);

}  // namespace samcl::analysis::dbf
