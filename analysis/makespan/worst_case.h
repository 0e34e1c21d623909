// The exact worst-case makespan: the longest way through the states of a Chain.
//
// 1. Greedy and beam searches look for a long schedule: of all states reached in a slot the most promising go
// on.
// 2. An upper bound (UpperBound) proves that nothing longer exists, usually at the start at once.
// 3. Else the states from which something longer might come are all visited, in the order of the work done:
// no slot
//    leads back, so each is left once, with the latest slot in which it can be reached. A state that is
//    reached no later than one with a further warp is not left at all (see dominated()).
#pragma once

#include "analysis/makespan/schedule.h"

namespace samcl::analysis::makespan {

// Each can be left out, to see what it is worth.
struct Reductions {
  bool queues = true, runs = true, pauses = true;  // queue_relaxation.h, run_relaxation.h, pause_relaxation.h
  bool domination = true;                          // see step 3
};

struct Effort {
  // At most so many places of states are looked at, by each beam search and by the third step. Some 20
  // million take a second.
  int64_t places = 100'000'000;
  size_t beam = 1'000;  // states of one slot that a beam search keeps at most; 0: only the greedy ones
  Reductions reductions = {};
};

struct WorstCase {
  Slots attained = 0;  // by the schedule; where there is none (too long a string for a search), by one warp alone
  Slots bound = 0;     // by no schedule exceeded
  Schedule schedule;
  size_t states = 0;  // visited by the third step

  bool exact() const { return attained == bound; }
};

// Exact, unless the effort did not suffice: then two bounds, both right. The kernel and warps are as checked.
WorstCase worst_case(const Kernel& kernel, int warps, const Effort& effort = {});

}  // namespace samcl::analysis::makespan
