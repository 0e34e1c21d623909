// Small linear programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace samcl::analysis::makespan {

struct Term {
  size_t variable = 0;
  int coefficient = 0;
};

// sum of terms >= least
struct Constraint {
  std::vector<Term> terms;
  int least = 0;
};

// Values in whole parts of a common denominator.
struct Parts {
  int64_t denominator = 1;         // up to 10^9
  std::vector<int64_t> numerator;  // up to 10^12: 65,000 warps' sum stays below 2^63
};

// Values of `cost.size()` free variables that satisfy the constraints with the least sum of cost * variable: exactly,
// by QSopt_ex. Nothing without constraints, where there are no values, where there is no least cost, or where the
// numbers are too large. Threads may call it at once; they take turns.
std::optional<Parts> minimise_in_parts(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints);

}  // namespace samcl::analysis::makespan
