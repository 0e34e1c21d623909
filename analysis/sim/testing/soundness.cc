#include "analysis/sim/testing/soundness.h"

#include <numeric>

#include "analysis/sim/liars.h"

namespace samcl::analysis {
namespace {

// The published forms claim something where all tasks meet their deadlines.
bool comparable(const Bounds& bounds, size_t task, Form form) {
  return form == Form::safe ? bounds.tasks[task].proven : bounds.schedulable;
}

std::vector<size_t> some_liars(const TaskSet& set, const Bounds& bounds, Random& random) {
  std::vector<size_t> lying;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    if (set.tasks[i].late > 0 && bounds.tasks[i].proven && coin(random, 0.8)) lying.push_back(i);
  return lying;
}

}  // namespace

std::optional<Excess> challenge(const SmallSet& small, Form form, const SearchEffort& effort, Random& random,
                                SoundnessTally& tally) {
  const Bounds bounds = analyse(small.set, small.modes, form);
  const Liars played(small.set, small.modes, bounds, some_liars(small.set, bounds, random), random);
  const std::vector<size_t>& honest = played.honest();
  std::vector<size_t> tasks;  // of those played
  for (size_t n = 0; n < honest.size(); ++n)
    if (comparable(bounds, honest[n], form)) tasks.push_back(n);
  ++tally.sets;
  if (tasks.empty()) return std::nullopt;
  const LongestFound found = find_longest(played.set(), played.order(), played.modes(), tasks, effort, random, false,
                                          [&](BehaviourPlan& plan) { played.enforce(plan); });
  tally.jobs +=
      std::accumulate(found.jobs.begin(), found.jobs.begin() + static_cast<std::ptrdiff_t>(honest.size()), int64_t{0});
  std::optional<Excess> excess;
  for (const size_t n : tasks) {
    const size_t i = honest[n];
    const Time bound = bounds.tasks[i].response;
    ++tally.bounds;
    tally.attained += found.response[n] == bound ? 1 : 0;
    tally.tightness += static_cast<double>(found.response[n]) / static_cast<double>(bound);
    if (found.response[n] <= bound) continue;
    ++tally.exceeded;
    if (!excess) excess = Excess{small, {played.set(), played.modes()}, found.plans[n], i, found.response[n], bound};
  }
  return excess;
}

}  // namespace samcl::analysis
