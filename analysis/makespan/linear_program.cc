// The dual program, max sum of least * y with y >= 0 and as many equations as there are variables, is solved
// by the simplex method. Its tableau has a row per variable and a column per constraint.
#include "analysis/makespan/linear_program.h"

#include <cmath>
#include <limits>

namespace samcl::analysis::makespan {
namespace {

using boost::multiprecision::cpp_int;

constexpr int64_t kMostDenominator = 1'000'000'000, kMostPart = 1'000'000'000'000;
// In floating point: no variable falls far below -kPenalty, and every variable's cost is a little higher by
// an irregular amount, so that no two ways are equally good and the method does not stall.
constexpr double kPenalty = 1e4, kDisturbance = 1e-6;
constexpr int64_t kMostDenominatorOfOne = 50'000;  // of a value that is made rational
constexpr size_t kMostCellsExactly = 20'000;       // variables times constraints: up to a second or so
constexpr size_t kMostCellsPrecisely = 150'000;    // with long doubles some 100 ms

// Whether a number counts as zero: rounding errors of doubles do.
bool vanishes(const Rational& number) {
  return number == 0;
}
bool vanishes(double number) {
  return std::abs(number) < 1e-9;
}
bool vanishes(long double number) {
  return std::abs(number) < 1e-11L;
}

template <typename Number>
class Tableau {
 public:
  Tableau(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints)
      : rows_(cost.size()),
        columns_(constraints.size()),
        cell_((rows_ + 1) * width()),
        basis_(rows_),
        negated_(rows_) {
    for (size_t row = 0; row < rows_; ++row) {
      negated_[row] = cost[row] < 0;
      at(row, columns_ + row) = 1;
      at(row, width() - 1) = static_cast<Number>(negated_[row] ? -cost[row] : cost[row]);
      basis_[row] = columns_ + row;
    }
    for (size_t column = 0; column < columns_; ++column)
      for (const Term& term : constraints[column].terms)
        at(term.variable, column) += negated_[term.variable] ? -term.coefficient : term.coefficient;
  }

  // Phase one: false if the equations cannot be met.
  bool meet_equations() {
    for (size_t row = 0; row < rows_; ++row)
      for (size_t column = 0; column < width(); ++column)
        if (column < columns_ || column == width() - 1) at(rows_, column) -= at(row, column);
    return ascend() && vanishes(at(rows_, width() - 1));
  }

  // Phase two: false if there is no greatest value.
  bool maximise(const std::vector<Constraint>& constraints) {
    for (size_t column = 0; column < width(); ++column)
      at(rows_, column) = column < columns_ ? Number(-constraints[column].least) : Number(0);
    for (size_t row = 0; row < rows_; ++row)
      if (basis_[row] < columns_) subtract(rows_, row, at(rows_, basis_[row]));
    return ascend();
  }

  // Both phases at once: what an equation is not met by costs the penalty. False if that does not end.
  bool maximise_with_penalty(const std::vector<Constraint>& constraints) {
    penalty_ = kPenalty;
    double irregular = 0.5;
    for (size_t row = 0; row < rows_; ++row) {
      irregular = std::fmod(irregular + 0.6180339887498949, 1.0);
      at(row, width() - 1) += kDisturbance * (0.5 + irregular);
    }
    for (size_t column = 0; column < width(); ++column) {
      if (column >= columns_ && column + 1 < width()) continue;
      at(rows_, column) = column < columns_ ? Number(-constraints[column].least) : Number(0);
      for (size_t row = 0; row < rows_; ++row) at(rows_, column) -= penalty_ * at(row, column);
    }
    return ascend();
  }

  // The multipliers of the equations: what we are asked for.
  std::vector<Number> prices() {
    std::vector<Number> result;
    for (size_t row = 0; row < rows_; ++row) {
      result.push_back(at(rows_, columns_ + row) - penalty_);
      if (negated_[row]) result.back() = -result.back();
    }
    return result;
  }

 private:
  size_t width() const { return columns_ + rows_ + 1; }
  Number& at(size_t row, size_t column) { return cell_[row * width() + column]; }

  void subtract(size_t row, size_t pivot, const Number factor) {
    if (factor == 0) return;
    for (const size_t column : filled_of(pivot)) at(row, column) -= factor * at(pivot, column);
  }

  // The columns in which the row is not zero; asked for many times in a row.
  const std::vector<size_t>& filled_of(size_t row) {
    if (row == filled_row_) return filled_;
    filled_row_ = row;
    filled_.clear();
    for (size_t column = 0; column < width(); ++column)
      if (at(row, column) != 0) filled_.push_back(column);
    return filled_;
  }

  // The steepest column; where that led nowhere for long, the first one, which does not cycle (Bland).
  std::optional<size_t> entering_column(bool first) {
    std::optional<size_t> best;
    for (size_t column = 0; column < columns_; ++column) {
      const Number& slope = at(rows_, column);
      if (slope >= 0 || vanishes(slope)) continue;
      if (!best || slope < at(rows_, *best)) best = column;
      if (first) break;
    }
    return best;
  }

  // False where there is no greatest value; and where doubles take too long, which they may forever.
  bool ascend() {
    constexpr size_t kStalled = 50;
    Number value = at(rows_, width() - 1);
    size_t stalled = 0;
    const size_t most = penalty_ == 0 ? std::numeric_limits<size_t>::max() : 10 * rows_ + 500;
    for (size_t pivots = 0; pivots < most; ++pivots) {
      const std::optional<size_t> entering = entering_column(stalled > kStalled);
      if (!entering) return true;
      const std::optional<size_t> leaving = leaving_row(*entering);
      if (!leaving) return false;
      const Number pivot = at(*leaving, *entering);
      filled_row_ = kNoRow;
      for (const size_t column : filled_of(*leaving)) at(*leaving, column) /= pivot;
      for (size_t row = 0; row <= rows_; ++row)
        if (row != *leaving) subtract(row, *leaving, at(row, *entering));
      filled_row_ = kNoRow;
      basis_[*leaving] = *entering;
      const bool better = !vanishes(Number(at(rows_, width() - 1) - value));
      stalled = better ? 0 : stalled + 1;
      value = at(rows_, width() - 1);
    }
    return false;
  }

  // A basic artificial variable, which is zero after phase one, leaves before it could change.
  std::optional<size_t> leaving_row(size_t entering) {
    std::optional<size_t> best;
    Number least = 0;
    for (size_t row = 0; row < rows_; ++row) {
      const Number& slope = at(row, entering);
      const bool artificial = penalty_ == 0 && basis_[row] >= columns_ && vanishes(at(row, width() - 1));
      if (vanishes(slope) || (slope < 0 && !artificial)) continue;
      const Number ratio = artificial ? Number(0) : Number(at(row, width() - 1) / slope);
      if (best && (ratio > least || (ratio == least && basis_[row] > basis_[*best]))) continue;
      best = row;
      least = ratio;
    }
    return best;
  }

  static constexpr size_t kNoRow = static_cast<size_t>(-1);
  size_t rows_, columns_;
  std::vector<Number> cell_;
  std::vector<size_t> basis_;
  std::vector<bool> negated_;
  std::vector<size_t> filled_;
  size_t filled_row_ = kNoRow;
  Number penalty_ = 0;
};

// A fraction with a small denominator that near, or else the nearest, by its continued fraction.
Rational rational_near(long double value, long double tolerance) {
  int64_t before = 0, denominator = 1, numerator_before = 1;
  auto numerator = static_cast<int64_t>(std::floor(value));
  long double rest = value - std::floor(value);
  while (std::abs(value - static_cast<long double>(numerator) / static_cast<long double>(denominator)) >
         tolerance) {
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
    for (const Term& term : constraint.terms)
      sum += cpp_int(parts.numerator[term.variable]) * term.coefficient;
    if (sum < cpp_int(constraint.least) * parts.denominator) return false;
  }
  return true;
}

std::optional<Parts> in_parts(const std::vector<Rational>& values,
                              const std::vector<Constraint>& constraints) {
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

// In floating point, made rational with one of the tolerances, and checked.
template <typename Float>
std::optional<Parts> minimise_in_floats(const std::vector<int64_t>& cost,
                                        const std::vector<Constraint>& constraints,
                                        std::initializer_list<Float> tolerances) {
  Tableau<Float> tableau(cost, constraints);
  if (!tableau.maximise_with_penalty(constraints)) return std::nullopt;
  const std::vector<Float> prices = tableau.prices();
  for (const Float price : prices)
    if (!(std::abs(price) < static_cast<Float>(kMostPart))) return std::nullopt;
  for (const Float tolerance : tolerances) {
    std::vector<Rational> values;
    for (const Float price : prices) values.push_back(rational_near(price, tolerance));
    if (auto parts = in_parts(values, constraints)) return parts;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Rational>> minimise(const std::vector<int64_t>& cost,
                                              const std::vector<Constraint>& constraints) {
  Tableau<Rational> tableau(cost, constraints);
  if (!tableau.meet_equations() || !tableau.maximise(constraints)) return std::nullopt;
  return tableau.prices();
}

std::optional<Parts> minimise_in_parts(const std::vector<int64_t>& cost,
                                       const std::vector<Constraint>& constraints) {
  const size_t cells = cost.size() * constraints.size();
  if (auto parts = minimise_in_floats<double>(cost, constraints, {1e-9, 1e-7})) return parts;
  if (cells <= kMostCellsPrecisely)
    if (auto parts = minimise_in_floats<long double>(cost, constraints, {1e-12L, 1e-10L, 1e-8L}))
      return parts;
  if (cells > kMostCellsExactly) return std::nullopt;
  const auto exact = minimise(cost, constraints);
  return exact ? in_parts(*exact, constraints) : std::nullopt;
}

}  // namespace samcl::analysis::makespan
