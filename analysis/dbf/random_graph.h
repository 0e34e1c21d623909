// Random tasks for tests and for the experiment on running times (the paper does not say how its graphs look,
// as far as its text is known to us).
#pragma once

#include "analysis/dbf/task_graph.h"
#include "analysis/generator/draw.h"

namespace samcl::analysis::dbf {

struct RandomGraph {
  size_t vertices = 10;
  double density = 1;            // the probability of an edge between two vertices, in topological order
  Time most_execution = 10'000;  // executions are uniform in 1..this
  double most_slack = 4;         // deadlines are uniform in 1..this times the execution, at least 1
  double most_separation = 2;    // separations are at most this times the deadline before them
  double most_period = 1.5;      // periods are at most this times the least that is possible
  bool overlapping = false;      // a job may be triggered before the deadline of the one before
  double most_load = 1;          // E(T) is at most about this part of the period
};

// The same graph for the same seed, on every system. It has passed check().
TaskGraph random_graph(const RandomGraph& wanted, uint64_t seed);

}  // namespace samcl::analysis::dbf
