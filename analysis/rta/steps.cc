#include "analysis/rta/steps.h"

#include <algorithm>

#include "analysis/rta/block.h"

namespace samcl::analysis {
namespace {

struct Columns {
  double* jobs;
  double* next;
  double* growth;
};

struct Sums {
  double work = 0;
  double stages = 0;
};

template <bool carried>
SAMCL_IN_BLOCKS Sums evaluate(const Demand& demand, size_t end, double window, const Columns& out) {
  const Block zero = {};
  const Block lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  Block work = {}, stages = {};
  for (size_t row = 0; row < end; row += kBlock) {
    const Block period = block(demand.period.data(), row), rate = block(demand.rate.data(), row);
    const Block jitter = block(demand.jitter.data(), row);
    const Block jobs = times(jitter + window, period, rate);
    Block next = jobs * period - jitter;
    if constexpr (carried) {
      const Block carry = block(demand.carry.data(), row);
      const Block more = times(carry + window, period, rate);
      block(out.growth, row) = more > jobs ? (more - jobs) * block(demand.cost.data(), row) : zero;
      next = least(next, more * period - carry);
    }
    block(out.jobs, row) = jobs;
    block(out.next, row) = next;
    const auto inside = lanes + static_cast<double>(row) < static_cast<double>(end) + zero;
    work += inside ? jobs * block(demand.work.data(), row) : zero;
    stages += inside ? jobs : zero;
  }
  Sums sums;
  for (size_t lane = 0; lane < kBlock; ++lane) {
    sums.work += work[lane];
    sums.stages += stages[lane];
  }
  return sums;
}

SAMCL_BLOCKS Sums evaluate_fresh(const Demand& demand, size_t end, double window, const Columns& out) {
  return evaluate<false>(demand, end, window, out);
}
SAMCL_BLOCKS Sums evaluate_carried(const Demand& demand, size_t end, double window, const Columns& out) {
  return evaluate<true>(demand, end, window, out);
}

}  // namespace

void Steps::begin(const Demand& demand, size_t end, double window, bool carried) {
  demand_ = &demand;
  end_ = end;
  carried_ = carried;
  const Columns columns = {jobs_.data(), next_.data(), growth_.data()};
  const Sums sums =
      carried ? evaluate_carried(demand, end, window, columns) : evaluate_fresh(demand, end, window, columns);
  work_ = sums.work;
  stages_ = sums.stages;
  growth_sum_ = 0;
  if (!carried) return;
  for (size_t row = 0; row < end; row = demand.end[row]) {
    double most = 0;
    for (size_t other = row; other < demand.end[row]; ++other) most = std::max(most, growth_[other]);
    most_[row] = most;
    growth_sum_ += most * demand.copies[row];
  }
}

void Steps::advance(double window) {
  for (size_t block = 0; block < end_; block += kBlock)
    for (unsigned bits = below(next_.data() + block, window); bits != 0; bits &= bits - 1) {
      const size_t row = block + static_cast<size_t>(__builtin_ctz(bits));
      if (row < end_) step(row, window);
    }
}

void Steps::step(size_t row, double window) {
  const Demand& demand = *demand_;
  const double period = demand.period[row], rate = demand.rate[row], jitter = demand.jitter[row];
  const double jobs = times(jitter + window, period, rate);
  work_ += (jobs - jobs_[row]) * demand.work[row];
  stages_ += jobs - jobs_[row];
  jobs_[row] = jobs;
  next_[row] = jobs * period - jitter;
  if (!carried_) return;
  const double carry = demand.carry[row];
  const double more = times(carry + window, period, rate);
  next_[row] = std::min(next_[row], more * period - carry);
  growth_[row] = more > jobs ? (more - jobs) * demand.cost[row] : 0;
  regard(row);
}

void Steps::regard(size_t row) {
  const Demand& demand = *demand_;
  const size_t first = demand.first[row];
  double most = 0;
  for (size_t other = first; other < demand.end[row]; ++other) most = std::max(most, growth_[other]);
  growth_sum_ += (most - most_[first]) * demand.copies[first];
  most_[first] = most;
}

}  // namespace samcl::analysis
