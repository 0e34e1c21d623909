// Sets of a few tasks, for tests.
#pragma once

#include "analysis/access/tasks.h"

namespace samcl::analysis::access {

// The deadline is the period.
inline Task task(Time period, int cpu, std::vector<Time> between, std::vector<Segment> segments = {}) {
  Task task;
  task.period = task.deadline = period;
  task.cpu = cpu;
  task.between = std::move(between);
  task.segments = std::move(segments);
  return task;
}

// The most urgent first.
inline TaskSet set_of(int cpus, std::vector<Task> tasks, bool own_devices = false) {
  TaskSet set;
  set.cpus = cpus;
  set.tasks = std::move(tasks);
  set.devices = own_devices ? static_cast<int>(set.tasks.size()) : 1;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    set.tasks[i].name = "T" + std::to_string(i + 1);
    set.tasks[i].index = i;
    set.tasks[i].gpu_rank = static_cast<int>(i);
    if (own_devices) set.tasks[i].device = static_cast<int>(i);
  }
  return set;
}

// Wang et al., ECRTS 2024, Table 2 and Fig. 5, in ms.
inline TaskSet gcaps_example() {
  return set_of(2, {task(80, 0, {2, 4, 3}, {{2, 4}, {2, 2}}), task(150, 0, {40}), task(190, 1, {4, 30}, {{5, 80}}),
                    task(200, 0, {16, 2}, {{2, 10}})});
}

}  // namespace samcl::analysis::access
