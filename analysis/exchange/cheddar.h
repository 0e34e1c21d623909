// Task sets in the XML of Cheddar (http://beru.univ-brest.fr/cheddar, version 3): tasks that compute on one
// preemptive processor each, scheduled by fixed priority.
#pragma once

#include <span>
#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// Tasks of CPU stages alone. Times are whole numbers of `unit` nanoseconds, else an error names the task.
// Larger priorities are more urgent (POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL).
Result<std::string> format_cheddar(const TaskSet& set, std::span<const int> modes, Time unit);

// Periodic tasks with their jitter and start time, and sporadic ones, on mono-core processors; priorities are
// the file's, or those of its rate- or deadline-monotonic scheduler, which has to be one for all. What else
// matters to a schedule (dependencies, resources, other schedulers, blocking times, ...) is an error that
// names its line. The set has passed check() for Model::partitioned.
Result<TaskSet> parse_cheddar(const std::string& text, Time unit);

}  // namespace samcl::analysis
