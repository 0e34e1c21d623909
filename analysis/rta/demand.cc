#include "analysis/rta/demand.h"

#include "analysis/rta/block.h"

namespace samcl::analysis {
namespace {

// Work of one subtask's jobs, each as far as it fits into `length`, and the last into what is left.
SAMCL_IN_BLOCKS Block fitting(const Block& jobs, const Block& period, const Block& cost, const Block& length,
                              const Block& reach) {
  const Block whole = least(cost, length);
  return (jobs - 1.0) * whole + least(whole, reach - (jobs - 1.0) * period);
}

}  // namespace

Demand::Demand(size_t rows) : first(rows), end(rows) {
  // Rows that pad the last block are never selected; their periods must not make NaNs.
  for (auto* column : {&period, &rate, &cost, &copies, &work, &jitter, &carry, &span, &requests})
    column->assign(rows + kBlock, 1);
}

void Demand::set(size_t row, double new_cost, double new_copies, double new_jitter, double new_carry) {
  cost[row] = new_cost;
  copies[row] = new_copies;
  work[row] = new_cost * new_copies;
  jitter[row] = new_jitter;
  carry[row] = new_carry;
  span[row] = 0;
}

SAMCL_CLONES
double executing(const Demand& demand, size_t end, double length, double before, double* fresh, double* growth) {
  const Block zero = {}, lengths = zero + length;
  double arrivals = 0;
  for (size_t row = 0; row < end; row += kBlock) {
    const Block period = block(demand.period.data(), row), rate = block(demand.rate.data(), row);
    const Block cost = block(demand.cost.data(), row);
    const Block reach = block(demand.jitter.data(), row) + (before + length);
    const Block carried_reach = block(demand.carry.data(), row) + (before + length);
    const Block jobs = times(reach, period, rate);
    const Block work = fitting(jobs, period, cost, lengths, reach);
    const Block carried = fitting(times(carried_reach, period, rate), period, cost, lengths, carried_reach);
    block(fresh, row) = work;
    block(growth, row) = carried > work ? carried - work : zero;
    for (size_t lane = 0; lane < kBlock && row + lane < end; ++lane)
      arrivals += jobs[lane] * demand.requests[row + lane] + demand.left(row + lane);
  }
  return arrivals;
}

}  // namespace samcl::analysis
