// Small random task sets, and random plans of what their jobs do, for simulator.h.
#pragma once

#include "analysis/access/testing/simulator.h"
#include "analysis/generator/draw.h"

namespace samcl::analysis::access {

struct Shape {
  int cpus = 2;
  int devices = 1;
  int tasks = 4;             // at most
  bool own_devices = false;  // one user each; `devices` does not matter
  bool jitter = true;        // some tasks have
  bool late = false;         // deadlines up to two periods
};

// Times of a few nanoseconds; the load is low enough for many of the sets to be schedulable.
TaskSet random_set(const Shape& shape, Draw& draw);

// Jobs over a few of the longest periods: at once or at random, periodic or not; execution times at their
// bounds or below.
std::vector<SimulatedJob> random_plan(const TaskSet& set, Draw& draw);

}  // namespace samcl::analysis::access
