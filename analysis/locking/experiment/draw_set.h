// Random task sets of one scenario, as Elliott & Anderson draw theirs (Section 5.1).
#pragma once

#include "analysis/locking/experiment/quick_test.h"
#include "analysis/locking/experiment/scenario.h"

namespace samcl::analysis::locking {

// Refills `set` with the set of this seed, the same on every system. A cap is uniform in (0, m]; tasks with p
// and (e + s) / p uniform in the scenario's ranges are added until they exceed it, and the last one is left
// out. Of the n tasks k use the GPU: k is uniform among the whole numbers of at least 2 with k / n in the
// scenario's tenth, and which ones is random. Their critical sections are the scenario's part of e + s.
//
// False if the set is discarded, which leaves it as it is then: there is no such k, or the critical sections
// alone overload the GPU (Ineq. 13).
bool draw_set(const Scenario& scenario, uint64_t seed, QuickSet& set);

}  // namespace samcl::analysis::locking
