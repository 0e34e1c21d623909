// A set of checked tasks with all that is asked about them: their doubled graphs, fronts and demand bounds.
#pragma once

#include <vector>

#include "analysis/dbf/demand_bound.h"

namespace samcl::analysis::dbf {

struct TaskDemands {
  std::vector<TaskGraph> tasks;
  // By task.
  std::vector<DoubledGraph> graphs;
  std::vector<Fronts> fronts;  // each refers to its graph: may be moved, not copied
  std::vector<DemandBound> bounds;

  explicit TaskDemands(std::vector<TaskGraph> given, Recurrence recurrence = Recurrence::exact)
      : tasks(std::move(given)) {
    for (const TaskGraph& task : tasks) graphs.push_back(double_graph(task));
    for (const DoubledGraph& graph : graphs) fronts.emplace_back(graph);
    for (size_t n = 0; n < tasks.size(); ++n) bounds.emplace_back(tasks[n], fronts[n], recurrence);
  }
  TaskDemands(TaskDemands&&) = default;
};

}  // namespace samcl::analysis::dbf
