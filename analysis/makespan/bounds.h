// Bounds on the makespan that need no search.
//
// The paper's bound lets all warps proceed in lockstep. It holds where every unit takes one warp per slot,
// but not in general: with Lambda = 4, eight warps of "LL" can take 5 slots (seven of them go ahead, the
// eighth is left with both instructions and idle capacity), and the paper's bound is 4. The safe one follows
// the last warp to end: in every slot it is issued, waits for a latency, or waits for a unit that is full
// with instructions of other warps.
#pragma once

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// T = sum over units of ceil(W / Lambda) I. For latencies above one, which the paper does not have: plus
// latency - 1 for each instruction. Safe only where every capacity is 1.
Slots published_bound(const Kernel& kernel, int warps);
bool published_bound_is_safe(const Kernel& kernel);

// One warp's own slots, plus for each unit floor((W - 1) I / Lambda).
Slots safe_bound(const Kernel& kernel, int warps);

// The same from any state on: an upper bound on the slots until all warps have ended.
//
// Of the warps in the state the one that is furthest behind gives the largest value: standing one place
// earlier adds a slot of its own, and takes at most one from what others can keep a unit full with.
Slots last_warp_bound(const Chain& chain, const Count* counts);

}  // namespace samcl::analysis::makespan
