// Priorities on the GPU that are others than on the CPUs: Wang et al., "GCAPS", ECRTS 2024, Section 5.3. Audsley's
// search ("On priority assignment in fixed priority scheduling", IPL 79 (2001)): each rank, from the least urgent up,
// goes to the first task, from the least urgent on its CPU up, that meets its deadline there with all that have none
// yet ahead of it. The responses of the others are their deadlines meanwhile (Section 6.4), so that their order does
// not matter.
//
// Tasks of one CPU keep their order, as else they may wait for each other for ever. The paper rejects what the search
// has found if it does not keep it; here others are not tried, which finds an order wherever the paper does.
#pragma once

#include "analysis/access/access.h"

namespace samcl::analysis::access {

// The set with ranks by which it is schedulable: its own, or else those found; nothing if none were. `analysis` is
// gcaps or gcaps_published, and the set has passed check() for it.
std::optional<TaskSet> with_gpu_priorities(TaskSet set, Analysis analysis, const Costs& costs);

}  // namespace samcl::analysis::access
