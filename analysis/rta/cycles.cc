#include "analysis/rta/cycles.h"

#include <algorithm>

#include "analysis/rta/block.h"

namespace samcl::analysis {
namespace {

// More than any window and phase.
constexpr double kNever = 1e200;

// Room for two steps per row, the first of the next period, and whole blocks.
size_t room(size_t rows) { return (2 * rows + 1 + kBlock - 1) / kBlock * kBlock; }

struct Step {
  double phase;
  uint32_t row;
  bool carried;
};

}  // namespace

Cycles::Cycles(const Demand& demand) {
  const size_t rows = demand.first.size();
  size_t place = 0;
  for (size_t row = 0; row < rows; row = demand.end[row]) {
    task_of_.resize(demand.end[row], static_cast<uint32_t>(first_row_.size()));
    first_row_.push_back(static_cast<uint32_t>(row));
    end_row_.push_back(demand.end[row]);
    period_.push_back(demand.period[row]);
    rate_.push_back(demand.rate[row]);
    place_.push_back(static_cast<uint32_t>(place));
    place += room(demand.end[row] - row);
  }
  const size_t tasks = first_row_.size();
  task_of_.push_back(static_cast<uint32_t>(tasks));
  for (auto* column : {&period_, &rate_}) column->resize(tasks + kBlock, 1);
  for (auto* column : {&copies_, &work_, &arrivals_, &begin_work_, &begin_arrivals_}) column->assign(tasks, 0);
  count_.assign(tasks, 0);
  below_.assign(tasks + 1, Line());
  phase_.assign(place, kNever);
  reached_.assign(place, Reached());
}

void Cycles::sort(const Demand& demand, size_t task) {
  const size_t first = first_row_[task], end = end_row_[task], rows = end - first;
  const double period = demand.period[first], rate = demand.rate[first];
  double* const phase = phase_.data() + place_[task];
  Reached* const reached = reached_.data() + place_[task];
  std::fill_n(phase, room(rows), kNever);
  copies_[task] = demand.copies[first];
  work_[task] = begin_work_[task] = begin_arrivals_[task] = 0;
  arrivals_[task] = 0;

  constexpr size_t kMost = 64;  // rows that fit on the stack
  std::vector<Step> many(2 * rows > 2 * kMost ? 2 * rows : 0);
  std::vector<double> many_growths(rows > kMost ? rows : 0);
  Step few[2 * kMost];
  double few_growths[kMost];
  Step* const steps = many.empty() ? few : many.data();
  double* const growths = many_growths.empty() ? few_growths : many_growths.data();

  size_t count = 0;
  const auto add = [&](const Step& step) {
    size_t n = count++;
    for (; n > 0 && steps[n - 1].phase > step.phase; --n) steps[n] = steps[n - 1];
    steps[n] = step;
  };
  double most = 0;
  for (size_t row = first; row < end; ++row) {
    growths[row - first] = 0;
    if (demand.work[row] == 0) continue;  // bound elsewhere
    work_[task] += demand.work[row];
    arrivals_[task] += demand.requests[row];
    if (demand.carry[row] >= kForever) {
      begin_work_[task] = kForever;
      continue;
    }
    const double fresh = demand.jitter[row] > 0 ? times(demand.jitter[row], period, rate) : 0;
    const double carried = demand.carry[row] > 0 ? times(demand.carry[row], period, rate) : 0;
    begin_work_[task] += fresh * demand.work[row];
    begin_arrivals_[task] += fresh * demand.requests[row] + demand.left(row);
    growths[row - first] = (carried - fresh) * demand.cost[row];
    most = std::max(most, growths[row - first]);
    add({fresh * period - demand.jitter[row], static_cast<uint32_t>(row), false});
    if (demand.carry[row] > demand.jitter[row])
      add({carried * period - demand.carry[row], static_cast<uint32_t>(row), true});
  }
  count_[task] = static_cast<uint32_t>(count);
  reached[0] = {0, 0, most};
  for (size_t n = 0; n < count; ++n) {
    const Step& step = steps[n];
    phase[n] = step.phase;
    reached[n + 1] = reached[n];
    double& growth = growths[step.row - first];
    const bool was_most = growth > 0 && growth == most;
    growth += step.carried ? demand.cost[step.row] : -demand.cost[step.row];
    if (!step.carried) {
      reached[n + 1].work += demand.work[step.row];
      reached[n + 1].arrivals += demand.requests[step.row];
    }
    if (step.carried)
      most = std::max(most, growth);
    else if (was_most)
      most = std::max(0.0, *std::max_element(growths, growths + rows));
    reached[n + 1].growth = most;
  }
  if (count > 0) phase[count] = period + phase[0];
  set_below(demand, task);
}

// The highest line of the task's mean slope that no window crosses touches its work just before a step.
void Cycles::set_below(const Demand& demand, size_t task) {
  Line& line = below_[task + 1];
  line = below_[task];
  const double slope = work_[task] * rate_[task];
  line.slope += slope;
  double base = begin_work_[task], grown_base = base;
  const double* const phase = phase_.data() + place_[task];
  const Reached* const reached = reached_.data() + place_[task];
  for (uint32_t n = 0; n < count_[task]; ++n) {
    const double work = begin_work_[task] + reached[n].work - slope * phase[n];
    base = n == 0 ? work : std::min(base, work);
    const double grown = work + reached[n].growth * copies_[task];
    grown_base = n == 0 ? grown : std::min(grown_base, grown);
  }
  line.base += base;
  line.grown_base += grown_base;
  line.arrivals_slope += arrivals_[task] * rate_[task];
  for (size_t row = first_row_[task]; row < end_row_[task]; ++row) {
    const double passed = demand.rate[row] * demand.jitter[row];
    line.stage_base += demand.work[row] * passed;
    if (demand.work[row] > 0) line.arrivals_base += demand.requests[row] * passed;
  }
}

}  // namespace samcl::analysis
