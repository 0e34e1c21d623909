// The graph over which the dynamic program runs: two copies of a task's graph in topological order, joined by
// an edge from the first copy's sink to the second copy's source. Its paths are the walks that trigger the
// source at most once, each of them once:
//
//   - the first copy lacks the source: its paths are the walks without one;
//   - in the second copy a path begins at the source or comes from the first copy: its paths are the walks
//   with exactly one.
//
// A walk that triggers the source more often has whole instances between the first and the last source, which
// are a period apart each: demand_bound.h adds them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dbf/task_graph.h"

namespace samcl::analysis::dbf {

struct Predecessor {
  uint32_t row = 0;
  Time separation = 0;
};

// A vertex in one of the copies.
struct Row {
  size_t vertex = 0;      // index into TaskGraph::vertices
  bool may_begin = true;  // a path may begin here
  Time execution = 0;
  Time deadline = 0;
  std::vector<Predecessor> predecessors;  // their rows are smaller
};

struct DoubledGraph {
  std::vector<Row> rows;    // 2n - 1: the first copy without its source, then the second
  size_t source = 0;        // the second copy's source: the first row whose paths have a source
  Time longest = 0;         // the largest sum of separations on any path
  Time greatest = 0;        // the largest sum of executions on any path
  Time execution_unit = 1;  // divides all executions
  Time time_unit = 1;       // divides all separations and deadlines
};

// Of a checked task.
DoubledGraph double_graph(const TaskGraph& task);

}  // namespace samcl::analysis::dbf
