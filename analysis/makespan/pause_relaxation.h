// An upper bound for few kinds of states in which a chosen unit is not full, such as the busiest one.
//
// Call a slot a pause if fewer warps are ready for the unit than it takes. There are few states like that where most of
// the string's stations are the unit's, so the most slots from each of them to the end are found one after the other,
// from the end. After a pause everything that can happen in its slot is followed; from there to the next pause only
// what is left in either state is looked at: how often each place was left between them. The unit was full in every
// slot, which tells their number d. Every other unit made as many moves as it takes in each of the d slots; or it was
// not full in some, and then it cannot have more warps ready at the end than fewer than it takes, and who came since.
#pragma once

#include <optional>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// On the slots until all warps have ended: the least over all units as the one that pauses. Nothing where every unit
// has too many such states.
std::optional<Slots> pause_bound(const Chain& chain, int warps);

}  // namespace samcl::analysis::makespan
