#include "analysis/makespan/linear_program.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

#include "base/test_seed.h"

namespace samcl::analysis::makespan {
namespace {

using Rational = boost::multiprecision::cpp_rational;

// Where as many constraints as there are variables are met with equality, if that is one point.
std::optional<std::vector<Rational>> corner(std::vector<std::vector<Rational>> rows) {
  const size_t size = rows.size();
  for (size_t n = 0; n < size; ++n) {
    size_t pivot = n;
    while (pivot < size && rows[pivot][n] == 0) ++pivot;
    if (pivot == size) return std::nullopt;
    std::swap(rows[n], rows[pivot]);
    for (size_t row = 0; row < size; ++row) {
      if (row == n) continue;
      const Rational factor = rows[row][n] / rows[n][n];
      for (size_t column = n; column <= size; ++column) rows[row][column] -= factor * rows[n][column];
    }
  }
  std::vector<Rational> values;
  for (size_t n = 0; n < size; ++n) values.push_back(rows[n][size] / rows[n][n]);
  return values;
}

bool satisfied(const std::vector<Constraint>& constraints, const std::vector<Rational>& values) {
  for (const Constraint& constraint : constraints) {
    Rational sum = 0;
    for (const Term& term : constraint.terms) sum += values[term.variable] * term.coefficient;
    if (sum < constraint.least) return false;
  }
  return true;
}

Rational cost_of(const std::vector<int64_t>& cost, const std::vector<Rational>& values) {
  Rational sum = 0;
  for (size_t n = 0; n < cost.size(); ++n) sum += cost[n] * values[n];
  return sum;
}

std::vector<Rational> values_of(const Parts& parts) {
  std::vector<Rational> values;
  for (const int64_t part : parts.numerator) values.emplace_back(part, parts.denominator);
  return values;
}

// Of all corners: the least cost, where there is one.
std::optional<Rational> least_cost(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints) {
  std::optional<Rational> least;
  for (uint64_t chosen = 0; chosen < (uint64_t{1} << constraints.size()); ++chosen) {
    if (static_cast<size_t>(__builtin_popcountll(chosen)) != cost.size()) continue;
    std::vector<std::vector<Rational>> rows;
    for (size_t c = 0; c < constraints.size(); ++c) {
      if ((chosen >> c & 1) == 0) continue;
      rows.emplace_back(cost.size() + 1, 0);
      for (const Term& term : constraints[c].terms) rows.back()[term.variable] += term.coefficient;
      rows.back().back() = constraints[c].least;
    }
    const auto values = corner(std::move(rows));
    if (values && satisfied(constraints, *values))
      least = std::min(least.value_or(cost_of(cost, *values)), cost_of(cost, *values));
  }
  return least;
}

TEST(MinimiseInParts, FindsACorner) {
  // 3 x + y >= 1, x + 2 y >= 1: least of x + y at x = 1/5, y = 2/5.
  const std::vector<Constraint> constraints = {{{{0, 3}, {1, 1}}, 1}, {{{0, 1}, {1, 2}}, 1}};
  const std::vector<Rational> corner = {Rational(1, 5), Rational(2, 5)};
  const auto parts = minimise_in_parts({1, 1}, constraints);
  ASSERT_TRUE(parts);
  EXPECT_EQ(values_of(*parts), corner);
}

TEST(MinimiseInParts, FindsNothingWhereNothingIsLeast) {
  EXPECT_FALSE(minimise_in_parts({1}, {}));
  EXPECT_FALSE(minimise_in_parts({1}, {{{{0, -1}}, 0}}));                 // x <= 0
  EXPECT_FALSE(minimise_in_parts({1}, {{{{0, 1}}, 1}, {{{0, -1}}, 0}}));  // x >= 1 and x <= 0
}

TEST(MinimiseInParts, SatisfiesAllConstraintsAtLeastCost) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int n = 0; n < 100; ++n) {
    // Values at least 0; positive coefficients and costs: there is a least one.
    const auto variables = static_cast<size_t>(draw(1, 4));
    std::vector<int64_t> cost;
    std::vector<Constraint> constraints;
    for (size_t v = 0; v < variables; ++v) {
      cost.push_back(draw(1, 9));
      constraints.push_back({{{v, 1}}, 0});
    }
    for (int c = draw(1, 8); c > 0; --c) {
      Constraint constraint{.terms = {}, .least = draw(-2, 5)};
      for (size_t v = 0; v < variables; ++v) constraint.terms.push_back({v, draw(1, 4)});
      constraints.push_back(std::move(constraint));
    }
    const auto parts = minimise_in_parts(cost, constraints);
    ASSERT_TRUE(parts);
    EXPECT_EQ(cost_of(cost, values_of(*parts)), least_cost(cost, constraints));
    EXPECT_TRUE(satisfied(constraints, values_of(*parts)));
  }
}

}  // namespace
}  // namespace samcl::analysis::makespan
