// The longest response of each task that simulation finds: of random plans, and of the plan in which it took longest so
// far, changed again and again.
#pragma once

#include <functional>

#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {

struct SearchEffort {
  int plans = 6;     // random ones
  int jobs = 4;      // in each, of the slowest task
  int changes = 30;  // in all, of the tasks' plans in turn
};

struct LongestFound {
  std::vector<Time> response;        // [task]
  std::vector<BehaviourPlan> plans;  // in which it was
  std::vector<int64_t> jobs;         // simulated

  bool late(const TaskSet& set) const;  // one of them is beyond its deadline
};

// Of these tasks; of others what happens to be found. Ends as soon as a deadline is missed, if wanted. `keep` makes of
// each plan one that may be.
LongestFound find_longest(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                          std::span<const size_t> tasks, const SearchEffort& effort, Random& random,
                          bool until_late = false, const std::function<void(BehaviourPlan&)>& keep = {});

}  // namespace samcl::analysis
