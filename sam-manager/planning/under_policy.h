// What can be said of response times under a policy of the scheduler that has no fixed priorities. Pure logic.
//
// Mostly by the Shared Resource Method (analysis/locking/requests.h), which counts on global EDF for host threads
// (scheduler/edf_ranks.h).
//
// Under containers each GPU's tasks, in mode 1, have a CPU of their own for jobs that run whole: bounds are those of
// non-preemptive EDF (analysis/locking/own_processor.h), which count on nothing outside of it.
//
// Under k-exclusion (scheduler/own_gpus.h) a job has one GPU and its link to itself from its first command to its
// end: one critical section, in mode 1, with priority donation's bound (analysis/locking/blocking.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/handovers.h"
#include "analysis/model/placement.h"
#include "sam-manager/scheduler/policy.h"

namespace samcl::planning {

struct UnderPolicy {
  struct Task {
    std::string name;
    std::optional<uint64_t> bound_ns;  // none: nothing is known
    uint64_t blocking_ns = 0,
             late_ns = 0;  // what it waits for others' requests; tardiness; where there is a bound
  };
  std::string policy;
  std::vector<Task> tasks;  // in the set's order, programs that no profile tells of left out
  std::string problem;      // why there are no bounds; "" if there are
  std::string estimate;     // why they are not guaranteed though they are proven; "" if they are
};

// What is analysed, and outlives this. `set` has what hand-overs cost in it, and one task for each device for the
// programs that no profile tells of, which `is_others` tells by their names.
struct PlacedTasks {
  const analysis::TaskSet& set;
  const analysis::Modes& modes;
  const std::vector<std::vector<int>>& devices;  // by task, as many as its mode
  bool (*is_others)(const std::string& name);
  const analysis::Handovers& handovers;
};

// How long a job of the task has a GPU to itself under k-exclusion, waiting for CPUs left out: all its stages from the
// first on a link or GPU on, what it waits in these for programs that no profile tells of, and what it costs to be
// granted the GPU and to pass it on. 0: it uses none.
analysis::Time critical_section(const PlacedTasks& tasks, const analysis::Task& task);

UnderPolicy bounds_under(const scheduler::Policy& policy, const PlacedTasks& tasks);

}  // namespace samcl::planning
