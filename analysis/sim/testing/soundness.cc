#include "analysis/sim/testing/soundness.h"

namespace samcl::analysis {
namespace {

// The published forms claim something where all tasks meet their deadlines.
bool comparable(const Bounds& bounds, size_t task, Form form) {
  return form == Form::safe ? bounds.tasks[task].proven : bounds.schedulable;
}

}  // namespace

std::optional<Excess> challenge(const SmallSet& small, Form form, const SearchEffort& effort, Random& random,
                                SoundnessTally& tally) {
  const auto& [set, modes] = small;
  const Bounds bounds = analyse(set, modes, form);
  const PriorityOrder order = priority_order(set);
  std::vector<size_t> tasks;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    if (comparable(bounds, i, form)) tasks.push_back(i);
  ++tally.sets;
  if (tasks.empty()) return std::nullopt;
  const LongestFound found = find_longest(set, order, modes, tasks, effort, random);
  tally.jobs += found.jobs;
  std::optional<Excess> excess;
  for (const size_t i : tasks) {
    const Time bound = bounds.tasks[i].response;
    ++tally.bounds;
    tally.attained += found.response[i] == bound ? 1 : 0;
    tally.tightness += static_cast<double>(found.response[i]) / static_cast<double>(bound);
    if (found.response[i] <= bound) continue;
    ++tally.exceeded;
    if (!excess) excess = Excess{small, found.plans[i], i, found.response[i], bound};
  }
  return excess;
}

}  // namespace samcl::analysis
