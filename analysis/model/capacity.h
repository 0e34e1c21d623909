// Is there more work than can be done, whatever the order? What no analysis has to look at.
#pragma once

#include <span>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// Work per time on a resource: sum of subtasks * C / T; above its number of elements nothing helps.
double utilisation(const TaskSet& set, std::span<const int> modes, Resource resource);

// An error where a resource's utilisation in these modes is above its number of elements, or where devices
// are bound (by place_devices() in order of priority) a link's or GPU's above 1: names the task with the
// largest part of it.
Result<void> check_capacity(const TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis
