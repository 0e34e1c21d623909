// The exact worst-case makespan: the longest way through the states of a Chain.
//
// 1. Beam searches look for a long schedule: of all states reached in a slot the most promising go on.
// 2. An upper bound (UpperBound) proves for the states met that nothing longer comes, usually at the start at once.
// 3. Else the states from which something longer might come are all visited, in the order of the instructions done:
//    no slot leads back, so each is left once, with the latest slot in which it can be reached. A state with
//    one warp more at some place that is reached no earlier dominates it (see there) and it is not left at all.
#pragma once

#include "analysis/makespan/schedule.h"

namespace samcl::analysis::makespan {

struct Effort {
  size_t states = 8'000'000;  // visited by the third step at most: about (2 places + 16) bytes each
  size_t beam = 2'000;        // states of one slot that a beam search keeps at most
  bool relaxation = true;     // see queue_relaxation.h; without it only last_warp_bound
};

struct WorstCase {
  Slots attained = 0;  // by the schedule
  Slots bound = 0;     // by no schedule exceeded
  Schedule schedule;
  size_t states = 0;   // visited by the third step

  bool exact() const { return attained == bound; }
};

// Exact, unless the effort did not suffice: then two bounds, both right. The kernel and warps are as checked.
WorstCase worst_case(const Kernel& kernel, int warps, const Effort& effort = {});

}  // namespace samcl::analysis::makespan
