// Nondecreasing functions of an interval's length that change in steps, such as demand bounds.
#pragma once

#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::dbf {

// In intervals of this length or longer (until the next step), so much is demanded.
struct Step {
  Time at = 0;
  Time demand = 0;
  bool operator==(const Step&) const = default;
};

// Ascending strictly in both. Zero before the first step.
using Staircase = std::vector<Step>;

Time value_at(const Staircase& steps, Time t);

// The larger of the two at every t, where the second is moved by `later` and `more`.
Staircase larger_of(const Staircase& steps, const Staircase& moved, Time later, Time more);

}  // namespace samcl::analysis::dbf
