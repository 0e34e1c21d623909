// The longest response times themselves, of sets in which nothing preempts anything: every order in which stages can
// begin and end, whatever the releases and execution times (PROOF.md, "Exact").
//
// For small sets: effort grows with the product of the tasks' numbers of stages.
#pragma once

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

// Not for bound devices, several requests or shared resources with more than one subtask of a stage; nor where tasks
// share CPUs, or links or GPUs in sections: an error that says which.
Result<void> check_exact(const TaskSet& set, std::span<const int> modes);

struct Exact {
  bool finished = false;    // within the effort
  bool schedulable = true;  // no deadline can be missed, as far as was seen
  // The longest of each task, likewise. In continuous time: up to 1 ns longer than in the model for each section of
  // another task that a stage finds, and longer by the jobs that come in these nanoseconds.
  std::vector<Time> response;
  int64_t states = 0;
};

// Stops as soon as a deadline can be missed, or after so many states. The set has passed check_exact().
Exact analyse_exact(const TaskSet& set, std::span<const int> modes, int64_t most_states, PriorityOrder order = {});

}  // namespace samcl::analysis
