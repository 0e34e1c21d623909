// What a number may be, in the words of all that check task sets.
#pragma once

#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// An error unless it is: "WHAT: VALUE ns, expected LEAST to MOST".
inline Result<void> within(const std::string& what, Time value, Time least, Time most, const char* unit = " ns") {
  if (value >= least && value <= most) return {};
  return fail(what + ": " + std::to_string(value) + unit + ", expected " + std::to_string(least) + " to " +
              std::to_string(most));
}

}  // namespace samcl::analysis
