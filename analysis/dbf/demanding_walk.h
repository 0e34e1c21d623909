// Which walk of a task demands as much as dbf(t) says: what to look at where a set is not schedulable.
#pragma once

#include <vector>

#include "analysis/dbf/demand_bound.h"

namespace samcl::analysis::dbf {

struct Triggered {
  size_t vertex = 0;  // index into TaskGraph::vertices
  Time at = 0;        // after the interval's begin
};

// The end of an instance, then so many whole ones a period apart, then the begin of an instance. Each part
// may be empty. Of the whole instances only the first is in `repeated`.
struct Walk {
  std::vector<Triggered> tail;
  std::vector<Triggered> repeated;
  int64_t repetitions = 0;
  std::vector<Triggered> head;
  Time demand = 0;  // dbf(t), in the exact form; at most kMostDemand
};

// t >= 0; the graph and fronts are the task's.
Walk demanding_walk(const TaskGraph& task, const DoubledGraph& graph, const Fronts& fronts, Time t);

}  // namespace samcl::analysis::dbf
