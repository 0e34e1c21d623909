#include "analysis/rta/demand.h"

#include <algorithm>

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

inline double least(double a, double b) {
  return a < b ? a : b;
}

// Work of one subtask's jobs: the last of them begins to fit `left` before the end of the window.
inline double fitting(double jobs, double period, double cost, double length, double reach) {
  const double whole = least(cost, length);
  return (jobs - 1.0) * whole + least(whole, reach - (jobs - 1.0) * period);
}

}  // namespace

void Demand::resize(size_t rows) {
  for (auto* column : {&period, &rate, &cost, &copies, &work, &jitter, &carry}) column->resize(rows);
  task.resize(rows);
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

Arrivals arriving(const Demand& demand, size_t end, double window, double* growth) {
  const double* period = demand.period.data();
  const double* rate = demand.rate.data();
  const double* cost = demand.cost.data();
  const double* work = demand.work.data();
  const double* jitter = demand.jitter.data();
  const double* carry = demand.carry.data();
  double sum = 0, stages = 0;
  for (size_t i = 0; i < end; ++i) {
    const double fresh = times(jitter[i] + window, period[i], rate[i]);
    const double carried = times(carry[i] + window, period[i], rate[i]);
    sum += fresh * work[i];
    stages += fresh;
    growth[i] = carried > fresh ? (carried - fresh) * cost[i] : 0.0;
  }
  return {sum, stages};
}

double executing(const Demand& demand, size_t end, double length, double before, double* fresh,
                 double* growth) {
  const double* period = demand.period.data();
  const double* rate = demand.rate.data();
  const double* cost = demand.cost.data();
  const double* jitter = demand.jitter.data();
  const double* carry = demand.carry.data();
  double stages = 0;
  for (size_t i = 0; i < end; ++i) {
    const double reach = jitter[i] + before + length, carried_reach = carry[i] + before + length;
    const double jobs = times(reach, period[i], rate[i]);
    const double carried_jobs = times(carried_reach, period[i], rate[i]);
    const double work = fitting(jobs, period[i], cost[i], length, reach);
    const double carried = fitting(carried_jobs, period[i], cost[i], length, carried_reach);
    stages += jobs;
    fresh[i] = work;
    growth[i] = carried > work ? carried - work : 0.0;
  }
  return stages;
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

Line stages_below(const Demand& demand, size_t end) {
  Line line;
  for (size_t i = 0; i < end; ++i) {
    line.base += demand.rate[i] * demand.jitter[i];
    line.slope += demand.rate[i];
  }
  return line;
}

}  // namespace samcl::analysis
