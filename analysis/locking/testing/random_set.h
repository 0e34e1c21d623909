// Small random task sets that share GPUs, and plans of what their jobs do: times of a few nanoseconds, so
// that instants coincide and one nanosecond too little shows.
#pragma once

#include <random>

#include "analysis/locking/simulator.h"

namespace samcl::analysis::locking {

using Random = std::mt19937_64;

struct Shape {
  int tasks = 6;      // at most
  int cpus = 3;       // at most
  int gpus = 1;       // at most
  Time period = 40;   // longest
  double load = 1;    // of the CPUs, without blocking; tasks are added until it is passed
  bool full = false;  // instead: periods divide the longest one, and the CPUs are used to the last nanosecond
  int parts = 1;      // of the one GPU, exactly
};

// Passes check().
TaskSet random_set(const Shape& shape, Random& random);

// All released at once or at random, as often as allowed or sporadically, with worst-case times or less.
JobSequences random_plan(const TaskSet& set, int jobs, Random& random);

// The same with one thing changed: jobs of a task from one on later or earlier, or a job's times.
JobSequences mutated(const TaskSet& set, const JobSequences& plan, Random& random);

}  // namespace samcl::analysis::locking
