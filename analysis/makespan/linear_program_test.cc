#include "analysis/makespan/linear_program.h"

#include <gtest/gtest.h>

#include <random>

#include "analysis/generator/test_seed.h"
namespace samcl::analysis::makespan {
namespace {

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

TEST(Minimise, FindsACorner) {
  // 3 x + y >= 1, x + 2 y >= 1: least of x + y at x = 1/5, y = 2/5.
  const std::vector<Constraint> constraints = {{{{0, 3}, {1, 1}}, 1}, {{{0, 1}, {1, 2}}, 1}};
  const std::vector<Rational> corner = {Rational(1, 5), Rational(2, 5)};
  EXPECT_EQ(minimise({1, 1}, constraints), corner);
  const auto parts = minimise_in_parts({1, 1}, constraints);
  ASSERT_TRUE(parts);
  EXPECT_EQ(values_of(*parts), corner);
}

TEST(Minimise, FindsNothingWhereNothingIsLeast) {
  EXPECT_FALSE(minimise({1}, {{{{0, -1}}, 0}}));                 // x <= 0
  EXPECT_FALSE(minimise({1}, {{{{0, 1}}, 1}, {{{0, -1}}, 0}}));  // x >= 1 and x <= 0
  EXPECT_FALSE(minimise_in_parts({1}, {{{{0, 1}}, 1}, {{{0, -1}}, 0}}));
}

TEST(MinimiseInParts, SatisfiesAllConstraintsAtLeastCost) {
  const uint64_t seed = test_seed();
  SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int n = 0; n < 100; ++n) {
    // Values at least 0; positive coefficients and costs: there is a least one.
    const auto variables = static_cast<size_t>(draw(1, 6));
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
    const auto exact = minimise(cost, constraints);
    const auto parts = minimise_in_parts(cost, constraints);
    ASSERT_TRUE(exact);
    ASSERT_TRUE(parts);
    EXPECT_EQ(cost_of(cost, values_of(*parts)), cost_of(cost, *exact));
    for (const Constraint& constraint : constraints) {
      Rational sum = 0;
      for (const Term& term : constraint.terms) sum += values_of(*parts)[term.variable] * term.coefficient;
      EXPECT_GE(sum, constraint.least);
    }
  }
}

}  // namespace
}  // namespace samcl::analysis::makespan
