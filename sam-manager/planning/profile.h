// A task's profile: its stages and their execution times in every mode, as sam-profile measures them and as
// analysis/json documents them. Pure logic.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/model/task_set.h"
#include "base/result.h"

namespace samcl::planning {

// The task of that name in a task set (JSON), or its only task, whatever its name. Errors name the place in the
// document, or the tasks there are.
Result<analysis::Task> find_profile(const std::string& document, const std::string& name);

// As the manager keeps it: a task set of this task alone, in one line.
std::string format_profile(const analysis::Task& task);

// What format_profile() made.
Result<analysis::Task> parse_profile(const std::string& text);

// With times for modes 1 to `gpus`: those not measured are as the last one that is, and are not to be used
// (Task::most_gpus).
void fit_modes(analysis::Task& task, int gpus);

}  // namespace samcl::planning
