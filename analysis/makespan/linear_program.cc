// By GLPK: its simplex method in floating point, whose corner is made rational, or its exact one (which alone finds the
// same, but takes 15 s instead of 0.1 for (LLCC)20 with 64 warps).
#include "analysis/makespan/linear_program.h"

#include <glpk.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <memory>

namespace samcl::analysis::makespan {
namespace {

using boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

constexpr int64_t kMostDenominator = 1'000'000'000, kMostPart = 1'000'000'000'000;
constexpr int64_t kMostDenominatorOfOne = 50'000;  // of a value that is made rational
constexpr size_t kMostCellsExactly = 20'000;       // variables times constraints: up to a second or so

// Free variables, a row per constraint.
class Program {
 public:
  Program(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints)
      : problem_(glp_create_prob(), glp_delete_prob), variables_(static_cast<int>(cost.size())) {
    glp_term_out(GLP_OFF);
    glp_add_cols(problem_.get(), variables_);
    for (int n = 1; n <= variables_; ++n) {
      glp_set_col_bnds(problem_.get(), n, GLP_FR, 0, 0);
      glp_set_obj_coef(problem_.get(), n, static_cast<double>(cost[static_cast<size_t>(n - 1)]));
    }
    if (constraints.empty()) return;
    const int first = glp_add_rows(problem_.get(), static_cast<int>(constraints.size()));
    for (size_t row = 0; row < constraints.size(); ++row) add(first + static_cast<int>(row), constraints[row]);
  }

  // The values at the least cost; nothing if there are none, or no least one.
  std::optional<std::vector<double>> solve(bool exactly) {
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    const int failed = exactly ? glp_exact(problem_.get(), &how) : glp_simplex(problem_.get(), &how);
    if (failed != 0 || glp_get_status(problem_.get()) != GLP_OPT) return std::nullopt;
    std::vector<double> values;
    for (int n = 1; n <= variables_; ++n) values.push_back(glp_get_col_prim(problem_.get(), n));
    return values;
  }

 private:
  // A variable may stand in several terms.
  void add(int row, const Constraint& constraint) {
    std::vector<double> sum(static_cast<size_t>(variables_), 0);
    for (const Term& term : constraint.terms) sum[term.variable] += term.coefficient;
    std::vector<int> columns = {0};  // GLPK counts from 1
    std::vector<double> coefficients = {0};
    for (size_t n = 0; n < sum.size(); ++n) {
      if (sum[n] == 0) continue;
      columns.push_back(static_cast<int>(n) + 1);
      coefficients.push_back(sum[n]);
    }
    glp_set_row_bnds(problem_.get(), row, GLP_LO, constraint.least, 0);
    glp_set_mat_row(problem_.get(), row, static_cast<int>(columns.size()) - 1, columns.data(), coefficients.data());
  }

  std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> problem_;
  int variables_;
};

// A fraction with a small denominator that near, or else the nearest, by its continued fraction.
Rational rational_near(double value, double tolerance) {
  int64_t before = 0, denominator = 1, numerator_before = 1;
  auto numerator = static_cast<int64_t>(std::floor(value));
  double rest = value - std::floor(value);
  while (std::abs(value - static_cast<double>(numerator) / static_cast<double>(denominator)) > tolerance) {
    rest = 1 / rest;
    const auto whole = static_cast<int64_t>(std::floor(rest));
    rest -= std::floor(rest);
    const int64_t next = whole * denominator + before;
    if (next > kMostDenominatorOfOne) break;
    numerator_before = std::exchange(numerator, whole * numerator + numerator_before);
    before = std::exchange(denominator, next);
  }
  return Rational(numerator, denominator);
}

bool satisfied(const std::vector<Constraint>& constraints, const Parts& parts) {
  for (const Constraint& constraint : constraints) {
    cpp_int sum = 0;
    for (const Term& term : constraint.terms) sum += cpp_int(parts.numerator[term.variable]) * term.coefficient;
    if (sum < cpp_int(constraint.least) * parts.denominator) return false;
  }
  return true;
}

std::optional<Parts> in_parts(const std::vector<Rational>& values, const std::vector<Constraint>& constraints) {
  cpp_int common = 1;
  for (const Rational& value : values) {
    common = lcm(common, denominator(value));
    if (common > kMostDenominator) return std::nullopt;
  }
  Parts parts{static_cast<int64_t>(common), {}};
  for (const Rational& value : values) {
    const cpp_int part = numerator(Rational(value * common));
    if (abs(part) > kMostPart) return std::nullopt;
    parts.numerator.push_back(static_cast<int64_t>(part));
  }
  if (!satisfied(constraints, parts)) return std::nullopt;
  return parts;
}

// Made rational with one of the tolerances, and checked.
std::optional<Parts> checked(const std::vector<double>& values, const std::vector<Constraint>& constraints) {
  for (const double value : values)
    if (!(std::abs(value) < static_cast<double>(kMostPart))) return std::nullopt;
  for (const double tolerance : {1e-12, 1e-10, 1e-9, 1e-7}) {
    std::vector<Rational> rationals;
    for (const double value : values) rationals.push_back(rational_near(value, tolerance));
    if (auto parts = in_parts(rationals, constraints)) return parts;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Parts> minimise_in_parts(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints) {
  Program program(cost, constraints);
  for (const bool exactly : {false, true}) {
    if (exactly && cost.size() * constraints.size() > kMostCellsExactly) break;
    const auto values = program.solve(exactly);
    if (!values) continue;
    if (auto parts = checked(*values, constraints)) return parts;
  }
  return std::nullopt;
}

}  // namespace samcl::analysis::makespan
