// Random task sets of one scenario.
#pragma once

#include "analysis/locking/experiment/quick_test.h"
#include "analysis/locking/experiment/scenario.h"

namespace samcl::analysis::locking {

// Refills `set` with the set of this seed, the same on every system: a target uniform in (0, m], tasks as
// long as their (e + s) / p add up to no more, at least one. Of a task: p and (e + s) / p are uniform in the
// scenario's ranges; it uses the GPU with a probability that is uniform, anew for each set, in the scenario's
// tenth; then s is a uniform part of e + s in the range of the pattern of use, and copying takes a uniform
// part of 10 to 50 % of e.
void draw_set(const Scenario& scenario, uint64_t seed, QuickSet& set);

}  // namespace samcl::analysis::locking
