// What can be said of response times under a policy of the scheduler that has no fixed priorities: by the
// Shared Resource Method (analysis/locking/requests.h), which counts on global EDF for host threads. Pure
// logic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::string doubt;        // on what they count that does not hold; "" if it does
};

// `set` has what hand-overs cost in it, and one task for each device for the programs that no profile tells
// of, which `is_others` tells by their names; `devices` by task, as many as its mode.
UnderPolicy bounds_under(const scheduler::Policy& policy, const analysis::TaskSet& set, const analysis::Modes& modes,
                         const std::vector<std::vector<int>>& devices, bool (*is_others)(const std::string&));

}  // namespace samcl::planning
