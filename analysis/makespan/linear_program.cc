// The dual program, max sum of least * y with y >= 0 and as many equations as there are variables, is solved
// by the simplex method in two phases. Its tableau has a row per variable and a column per constraint.
// Bland's rule keeps it from cycling.
#include "analysis/makespan/linear_program.h"

namespace samcl::analysis::makespan {
namespace {

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
      at(row, width() - 1) = negated_[row] ? -cost[row] : cost[row];
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
    return ascend() && at(rows_, width() - 1) == 0;
  }

  // Phase two: false if there is no greatest value.
  bool maximise(const std::vector<Constraint>& constraints) {
    for (size_t column = 0; column < width(); ++column)
      at(rows_, column) = column < columns_ ? Rational(-constraints[column].least) : Rational(0);
    for (size_t row = 0; row < rows_; ++row)
      if (basis_[row] < columns_) subtract(rows_, row, at(rows_, basis_[row]));
    return ascend();
  }

  // The multipliers of the equations: what we are asked for.
  std::vector<Rational> prices() {
    std::vector<Rational> result;
    for (size_t row = 0; row < rows_; ++row) {
      result.push_back(at(rows_, columns_ + row));
      if (negated_[row]) result.back() = -result.back();
    }
    return result;
  }

 private:
  size_t width() const { return columns_ + rows_ + 1; }
  Rational& at(size_t row, size_t column) { return cell_[row * width() + column]; }

  void subtract(size_t row, size_t pivot, const Rational factor) {
    if (factor == 0) return;
    for (size_t column = 0; column < width(); ++column)
      if (at(pivot, column) != 0) at(row, column) -= factor * at(pivot, column);
  }

  bool ascend() {
    for (;;) {
      size_t entering = 0;
      while (entering < columns_ && at(rows_, entering) >= 0) ++entering;
      if (entering == columns_) return true;
      const std::optional<size_t> leaving = leaving_row(entering);
      if (!leaving) return false;
      const Rational pivot = at(*leaving, entering);
      for (size_t column = 0; column < width(); ++column)
        if (at(*leaving, column) != 0) at(*leaving, column) /= pivot;
      for (size_t row = 0; row <= rows_; ++row)
        if (row != *leaving) subtract(row, *leaving, at(row, entering));
      basis_[*leaving] = entering;
    }
  }

  // A basic artificial variable, which is zero after phase one, leaves before it could change.
  std::optional<size_t> leaving_row(size_t entering) {
    std::optional<size_t> best;
    Rational least;
    for (size_t row = 0; row < rows_; ++row) {
      const Rational& slope = at(row, entering);
      const bool artificial = basis_[row] >= columns_ && at(row, width() - 1) == 0;
      if (slope == 0 || (slope < 0 && !artificial)) continue;
      const Rational ratio = artificial ? Rational(0) : at(row, width() - 1) / slope;
      if (best && (ratio > least || (ratio == least && basis_[row] > basis_[*best]))) continue;
      best = row;
      least = ratio;
    }
    return best;
  }

  size_t rows_, columns_;
  std::vector<Rational> cell_;
  std::vector<size_t> basis_;
  std::vector<bool> negated_;
};

}  // namespace

std::optional<std::vector<Rational>> minimise(const std::vector<int64_t>& cost,
                                              const std::vector<Constraint>& constraints) {
  Tableau tableau(cost, constraints);
  if (!tableau.meet_equations() || !tableau.maximise(constraints)) return std::nullopt;
  return tableau.prices();
}

}  // namespace samcl::analysis::makespan
