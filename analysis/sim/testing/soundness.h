// Do simulated responses keep to the bounds? Searches for the opposite: many random task sets, for each
// random plans, and the worst of them changed step by step towards longer responses. Where a task's budgets are
// enforced (Task::late) it lies in some of them, and the others are compared.
#pragma once

#include <functional>
#include <optional>

#include "analysis/rta/response_time.h"
#include "analysis/sim/longest.h"
#include "analysis/sim/testing/random_set.h"

namespace samcl::analysis {

// A simulated response beyond a bound.
struct Excess {
  SmallSet small;
  SmallSet simulated;  // the same, but for those that lie (sim/liars.h)
  BehaviourPlan plan;  // of that
  size_t task = 0;     // of the first set
  Time response = 0;
  Time bound = 0;
};

struct SoundnessTally {
  int64_t sets = 0;
  int64_t jobs = 0;
  int64_t bounds = 0;    // compared with: proven ones; for other forms those of schedulable sets
  int64_t attained = 0;  // of these, by a simulated response
  double tightness = 0;  // sum of longest response / bound over bounds
  int64_t exceeded = 0;  // bounds
};

// One set: adds to the tally, returns the first excess.
std::optional<Excess> challenge(const SmallSet& small, Form form, const SearchEffort& effort, Random& random,
                                SoundnessTally& tally);

}  // namespace samcl::analysis
