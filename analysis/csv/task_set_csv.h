// Task sets as CSV: the JSON document as a table, a line per stage, whose columns are the fields of task and stage;
// README.md of analysis/ documents them. What is wrong is named by line and column name, and what was expected.
#pragma once

#include <string>

#include "analysis/json/task_set_json.h"

namespace samcl::analysis {

// The result has passed check().
Result<TaskSetDocument> parse_task_set_csv(const std::string& text, Model model = Model::pipeline);

// parse_task_set_csv() of it gives the same document back.
std::string format_task_set_csv(const TaskSetDocument& document);

}  // namespace samcl::analysis
