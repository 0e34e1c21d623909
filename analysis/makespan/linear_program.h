// Small linear programs, solved exactly.
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

// The values of `cost.size()` free variables that minimise sum of cost * variable subject to the constraints;
// nothing if there are none, or no least one.
std::optional<std::vector<Rational>> minimise(const std::vector<int64_t>& cost,
                                              const std::vector<Constraint>& constraints);

}  // namespace samcl::analysis::makespan
