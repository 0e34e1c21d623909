#include "analysis/rta/demand.h"

namespace samcl::analysis {
namespace {

// Adding it rounds to the nearest whole number.
constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52

// Least whole n with n * period >= value, for value > 0.
inline double times(double value, double period, double rate) {
  double n = (value * rate + kRound) - kRound;
  n += n * period < value ? 1.0 : 0.0;
  n -= (n - 1.0) * period >= value ? 1.0 : 0.0;
  return n;
}

}  // namespace

void Demand::resize(size_t rows) {
  for (auto* column : {&period, &rate, &work, &jitter, &carry}) column->resize(rows);
}

double arriving(const Demand& demand, size_t end, double window) {
  const double* period = demand.period.data();
  const double* rate = demand.rate.data();
  const double* work = demand.work.data();
  const double* jitter = demand.jitter.data();
  double sum = 0;
  for (size_t i = 0; i < end; ++i) sum += times(jitter[i] + window, period[i], rate[i]) * work[i];
  return sum;
}

Line below(const Demand& demand, size_t end) {
  Line line;
  for (size_t i = 0; i < end; ++i) {
    const double share = demand.work[i] * demand.rate[i];
    line.base += share * demand.jitter[i];
    line.slope += share;
  }
  return line;
}

}  // namespace samcl::analysis
