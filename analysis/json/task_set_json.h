// Task sets as JSON; README.md of analysis/ documents the fields. What is wrong is named by its place in
// the document (a JSON pointer, or line and column where it is no JSON at all), and what was expected.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

struct TaskSetDocument {
  TaskSet set;
  Modes modes;  // where the document gives none: 1
};

// The result has passed check().
Result<TaskSetDocument> parse_task_set(const std::string& text, Model model = Model::pipeline);

Result<TaskSetDocument> task_set_of(const nlohmann::json& document, Model model);

// parse_task_set() of it gives the same document back. Times as numbers of nanoseconds.
std::string format_task_set(const TaskSetDocument& document);
nlohmann::ordered_json task_set_json(const TaskSetDocument& document);

}  // namespace samcl::analysis
