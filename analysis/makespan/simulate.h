// Work-conserving schedulers as they are built, to see how far from the worst case they stay.
#pragma once

#include <array>

#include "analysis/makespan/schedule.h"

namespace samcl::analysis::makespan {

// Which of the ready warps a unit takes first.
enum class Policy {
  oldest,       // the lowest number (greedy-then-oldest without the greed)
  youngest,     // the highest
  round_robin,  // the next after the one that the unit took last
  behind,       // the one with most instructions left
  ahead,        // the one with fewest left
  random,       // drawn in every slot
};
inline constexpr std::array kPolicies = {Policy::oldest, Policy::youngest, Policy::round_robin,
                                         Policy::behind, Policy::ahead,    Policy::random};
const char* name(Policy policy);

// The seed is used by Policy::random alone.
Schedule simulate(const Kernel& kernel, int warps, Policy policy, uint64_t seed = 1);

}  // namespace samcl::analysis::makespan
