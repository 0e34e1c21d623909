// Small random task sets for comparing bounds with simulations: times of a few nanoseconds, so that
// instants coincide and one nanosecond too little shows.
#pragma once

#include "analysis/model/task_set.h"
#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {

struct SmallSet {
  TaskSet set;
  Modes modes;
};

struct Shape {
  int tasks = 4;     // at most
  int stages = 5;    // of a task, at most
  int elements = 3;  // of a resource, at most
  Time period = 60;  // longest
  bool best_cases = true;
  bool sections = true;
  bool bound = false;  // devices, some tasks with lists
  int requests = 1;    // of a stage, at most
  bool host = false;   // some sections need CPUs
  int threads = 1;     // of a stage, at most
  bool late = false;   // some tasks' budgets are enforced
  bool work = false;   // of some tasks' stages it is known how much they take together
};

// Passes check(); deadlines equal to periods, priorities deadline-monotonic or random.
SmallSet random_set(const Shape& shape, Random& random);

}  // namespace samcl::analysis
