// Small linear programs.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <vector>

namespace samcl::analysis::makespan {

using Rational = boost::multiprecision::cpp_rational;

struct Term {
  size_t variable = 0;
  int coefficient = 0;
};

// sum of terms >= least
struct Constraint {
  std::vector<Term> terms;
  int least = 0;
};

// The values of `cost.size()` free variables that minimise sum of cost * variable subject to the constraints,
// exactly; nothing if there are none, or no least one.
std::optional<std::vector<Rational>> minimise(const std::vector<int64_t>& cost,
                                              const std::vector<Constraint>& constraints);

// Values in whole parts of a common denominator.
struct Parts {
  int64_t denominator = 1;         // up to 10^9
  std::vector<int64_t> numerator;  // up to 10^12: 65,000 warps' sum stays below 2^63
};

// Values that satisfy the constraints, checked exactly, with a cost that is least or nearly so: found in
// floating point and made rational, where that does not do and the program is small by minimise(). Nothing
// where neither does, or where the numbers are too large.
std::optional<Parts> minimise_in_parts(const std::vector<int64_t>& cost,
                                       const std::vector<Constraint>& constraints);

}  // namespace samcl::analysis::makespan
