// Recurring real-time tasks as JSON; README.md of analysis/ documents the fields. What is wrong is named as
// in task_set_json.h.
#pragma once

#include <string>
#include <vector>

#include "analysis/dbf/task_graph.h"

namespace samcl::analysis {

// The result has passed check().
Result<std::vector<dbf::TaskGraph>> parse_task_graphs(const std::string& text);

}  // namespace samcl::analysis
