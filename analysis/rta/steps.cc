#include "analysis/rta/steps.h"

#include "analysis/rta/block.h"

namespace samcl::analysis {
namespace {

// The window as whole periods and a rest, 0 < rest <= period.
SAMCL_BLOCKS void divide(double window, const double* period, const double* rate, size_t end, double* periods,
                         double* rest) {
  const Block windows = Block{} + window;
  for (size_t task = 0; task < end; task += kBlock) {
    const Block whole = times(windows, block(period, task), block(rate, task)) - 1.0;
    block(periods, task) = whole;
    block(rest, task) = windows - whole * block(period, task);
  }
}

}  // namespace

void Steps::begin(const Cycles& cycles, size_t tasks, double window) {
  cycles_ = &cycles;
  tasks_ = tasks;
  work_ = stages_ = growth_ = 0;
  divide(window, cycles.period_.data(), cycles.rate_.data(), tasks, periods_.data(), since_.data());
  for (size_t task = 0; task < tasks; ++task) {
    seek(task);
    count(task, 1);
  }
}

// From periods_ and since_ to the place among the task's steps.
void Steps::seek(size_t task) {
  const double* const phase = cycles_->phase_.data() + cycles_->place_[task];
  uint32_t passed = 0;
  for (uint32_t n = 0; n < cycles_->count_[task]; n += kBlock)
    passed += static_cast<uint32_t>(__builtin_popcount(below(phase + n, since_[task])));
  place_[task] = cycles_->place_[task] + passed;
  next_[task] = periods_[task] * cycles_->period_[task] + phase[passed];
}

void Steps::count(size_t task, double sign) {
  const Cycles::Reached& reached = cycles_->reached_[place_[task]];
  work_ += sign * (cycles_->begin_work_[task] + periods_[task] * cycles_->work_[task] + reached.work);
  stages_ += sign * (cycles_->begin_stages_[task] + periods_[task] * cycles_->stages_[task] + reached.stages);
  growth_ += sign * reached.growth * cycles_->copies_[task];
  growth_of_[task] = reached.growth;
}

void Steps::advance(double window) {
  for (size_t first = 0; first < tasks_; first += kBlock)
    for (unsigned bits = below(next_.data() + first, window); bits != 0; bits &= bits - 1) {
      const size_t task = first + static_cast<size_t>(__builtin_ctz(bits));
      if (task >= tasks_) continue;
      count(task, -1);
      const double period = cycles_->period_[task];
      periods_[task] = times(window, period, cycles_->rate_[task]) - 1;
      since_[task] = window - periods_[task] * period;
      seek(task);
      count(task, 1);
    }
}

}  // namespace samcl::analysis
