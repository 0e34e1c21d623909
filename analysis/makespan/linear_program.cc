// By QSopt_ex: the simplex method in floating point finds a basis, whose corner is then computed and proven to be the
// best one in rational numbers; where it is not, with more digits.
#include "analysis/makespan/linear_program.h"

#include <gmpxx.h>

extern "C" {  // of itself it is only in part
#include <qsopt_ex/QSopt_ex.h>
}

#include <map>
#include <memory>
#include <mutex>

namespace samcl::analysis::makespan {
namespace {

constexpr int64_t kMostDenominator = 1'000'000'000, kMostPart = 1'000'000'000'000;

void say_nothing(const char* /*message*/, void* /*data*/) {}

// The library's state belongs to the process: started once, and used by one thread at a time.
class Library {
 public:
  static std::unique_lock<std::mutex> lock() {
    static Library library;
    return std::unique_lock(library.mutex_);
  }

 private:
  Library() {
    QSexactStart();
    QSlog_set_handler(say_nothing, nullptr);
  }
  ~Library() { QSexactClear(); }

  std::mutex mutex_;
};

// What the C library takes.
mpq_t* array(std::vector<mpq_class>& values) {
  static_assert(sizeof(mpq_class) == sizeof(mpq_t));
  return reinterpret_cast<mpq_t*>(values.data());
}

// Free variables, a row per constraint.
class Program {
 public:
  Program(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints)
      : problem_(mpq_QScreate_prob(nullptr, QS_MIN), mpq_QSfree_prob), variables_(cost.size()) {
    for (const int64_t one : cost)
      mpq_QSnew_col(problem_.get(), mpq_class(one).get_mpq_t(), mpq_ILL_MINDOUBLE, mpq_ILL_MAXDOUBLE, nullptr);
    for (const Constraint& constraint : constraints) add(constraint);
  }

  // The values at the least cost; nothing if there are none, or no least one.
  std::optional<std::vector<mpq_class>> solve() {
    int status = 0;
    if (QSexact_solver(problem_.get(), nullptr, nullptr, nullptr, PRIMAL_SIMPLEX, &status) != 0 ||
        status != QS_LP_OPTIMAL)
      return std::nullopt;
    std::vector<mpq_class> values(variables_);
    if (mpq_QSget_x_array(problem_.get(), array(values)) != 0) return std::nullopt;
    return values;
  }

 private:
  // A variable may stand in several terms.
  void add(const Constraint& constraint) {
    std::map<size_t, int> sums;
    for (const Term& term : constraint.terms) sums[term.variable] += term.coefficient;
    std::vector<int> columns;
    std::vector<mpq_class> coefficients;
    for (const auto& [variable, sum] : sums) {
      if (sum == 0) continue;
      columns.push_back(static_cast<int>(variable));
      coefficients.emplace_back(sum);
    }
    std::vector<mpq_class> least = {constraint.least};
    mpq_QSadd_row(problem_.get(), static_cast<int>(columns.size()), columns.data(), array(coefficients), array(least),
                  'G', nullptr);
  }

  std::unique_ptr<mpq_QSdata, decltype(&mpq_QSfree_prob)> problem_;
  size_t variables_;
};

}  // namespace

std::optional<Parts> minimise_in_parts(const std::vector<int64_t>& cost, const std::vector<Constraint>& constraints) {
  if (constraints.empty()) return std::nullopt;  // the library would not end
  const auto lock = Library::lock();
  const auto values = Program(cost, constraints).solve();
  if (!values) return std::nullopt;
  mpz_class common = 1;
  for (const mpq_class& value : *values) {
    common = lcm(common, value.get_den());
    if (common > kMostDenominator) return std::nullopt;
  }
  Parts parts{common.get_si(), {}};
  for (const mpq_class& value : *values) {
    const mpz_class part = value.get_num() * (common / value.get_den());
    if (abs(part) > kMostPart) return std::nullopt;
    parts.numerator.push_back(part.get_si());
  }
  return parts;
}

}  // namespace samcl::analysis::makespan
