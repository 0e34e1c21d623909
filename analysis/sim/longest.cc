#include "analysis/sim/longest.h"

#include "analysis/sim/aligned_plan.h"

namespace samcl::analysis {
namespace {

// Two thirds so that jobs of others meet the task's.
BehaviourPlan changed(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                      const BehaviourPlan& plan, size_t task, Random& random) {
  switch (draw(random, 0, 5)) {
    case 0: return mutated(set, modes, plan, random);
    case 1: return shifted(set, modes, plan, random);
    default: return aligned(set, order, modes, plan, task, random);
  }
}

}  // namespace

bool LongestFound::late(const TaskSet& set) const {
  for (size_t i = 0; i < response.size(); ++i)
    if (response[i] > set.tasks[i].deadline) return true;
  return false;
}

LongestFound find_longest(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                          std::span<const size_t> tasks, const SearchEffort& effort, Random& random, bool until_late,
                          const std::function<void(BehaviourPlan&)>& keep) {
  LongestFound found{std::vector<Time>(set.tasks.size(), 0), std::vector<BehaviourPlan>(set.tasks.size()),
                     std::vector<int64_t>(set.tasks.size(), 0)};
  for (int n = 0; n < effort.plans + effort.changes && !(until_late && found.late(set)); ++n) {
    const size_t task = tasks[static_cast<size_t>(n) % tasks.size()];
    BehaviourPlan plan = n < effort.plans ? random_plan(set, modes, effort.jobs, random)
                                          : changed(set, order, modes, found.plans[task], task, random);
    if (keep) keep(plan);
    const Responses seen = play(set, order, modes, plan);
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      found.jobs[i] += seen.jobs[i];
      if (seen.longest[i] < found.response[i]) continue;
      found.response[i] = seen.longest[i];
      found.plans[i] = plan;
    }
  }
  return found;
}

}  // namespace samcl::analysis
