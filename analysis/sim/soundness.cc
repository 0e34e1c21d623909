#include "analysis/sim/soundness.h"

#include "analysis/sim/aligned_plan.h"

namespace samcl::analysis {
namespace {

// The published forms claim something where all tasks meet their deadlines.
bool comparable(const Bounds& bounds, size_t task, Form form) {
  return form == Form::safe ? bounds.tasks[task].proven : bounds.schedulable;
}

}  // namespace

std::optional<Excess> challenge(const SmallSet& small, Form form, const Effort& effort, Random& random,
                                SoundnessTally& tally) {
  const auto& [set, modes] = small;
  const Bounds bounds = analyse(set, modes, form);
  const PriorityOrder order = priority_order(set);
  std::vector<size_t> tasks;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    if (comparable(bounds, i, form)) tasks.push_back(i);
  ++tally.sets;
  if (tasks.empty()) return std::nullopt;
  std::vector<Time> longest(set.tasks.size(), 0);
  std::vector<BehaviourPlan> worst(set.tasks.size());
  const auto attempt = [&](BehaviourPlan plan) {
    const Responses seen = play(set, order, modes, plan);
    tally.jobs += seen.jobs;
    for (const size_t i : tasks) {
      if (seen.longest[i] < longest[i]) continue;
      longest[i] = seen.longest[i];
      worst[i] = plan;
    }
  };
  for (int n = 0; n < effort.plans; ++n) attempt(random_plan(set, modes, effort.jobs, random));
  for (int n = 0; n < effort.mutations; ++n) {
    const size_t task = tasks[static_cast<size_t>(n) % tasks.size()];
    const bool changes_anything = draw(random, 0, 2) > 0;
    attempt(changes_anything ? mutated(set, modes, worst[task], random)
                             : aligned(set, order, modes, worst[task], task, random));
  }
  std::optional<Excess> excess;
  for (const size_t i : tasks) {
    const Time bound = bounds.tasks[i].response;
    ++tally.bounds;
    tally.attained += longest[i] == bound ? 1 : 0;
    tally.tightness += static_cast<double>(longest[i]) / static_cast<double>(bound);
    if (longest[i] <= bound) continue;
    ++tally.exceeded;
    if (!excess) excess = Excess{small, worst[i], i, longest[i], bound};
  }
  return excess;
}

}  // namespace samcl::analysis
