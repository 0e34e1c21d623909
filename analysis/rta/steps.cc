#include "analysis/rta/steps.h"

#include "analysis/rta/block.h"

namespace samcl::analysis {
namespace {

// The window as whole periods and a rest, 0 < rest <= period.
SAMCL_CLONES void divide(double window, const double* period, const double* rate, size_t end, double* periods,
                         double* rest) {
  const Block windows = Block{} + window;
  for (size_t task = 0; task < end; task += kBlock) {
    const Block whole = times(windows, block(period, task), block(rate, task)) - 1.0;
    block(periods, task) = whole;
    block(rest, task) = windows - whole * block(period, task);
  }
}

}  // namespace

// From periods_ and since_ to the place among the task's steps.
[[gnu::always_inline]] inline void Steps::seek(const Cycles& cycles, size_t task) {
  const uint32_t place = cycles.place_[task];
  const double* const phase = cycles.phase_.data() + place;
  const double since = since_[task];
  uint32_t passed = kBits[below(phase, since)];
  for (uint32_t n = kBlock; n < cycles.count_[task]; n += kBlock) passed += kBits[below(phase + n, since)];
  place_[task] = place + passed;
  next_[task] = periods_[task] * cycles.period_[task] + phase[passed];
}

void Steps::begin(const Cycles& cycles, size_t tasks, double window) {
  cycles_ = &cycles;
  tasks_ = tasks;
  divide(window, cycles.period_.data(), cycles.rate_.data(), tasks, periods_.data(), since_.data());
  double work = 0, arrivals = 0, growth = 0;
  for (size_t task = 0; task < tasks; ++task) {
    seek(cycles, task);
    const Cycles::Reached& reached = cycles.reached_[place_[task]];
    work += cycles.begin_work_[task] + periods_[task] * cycles.work_[task] + reached.work;
    arrivals += cycles.begin_arrivals_[task] + periods_[task] * cycles.arrivals_[task] + reached.arrivals;
    growth += reached.growth * cycles.copies_[task];
  }
  work_ = work;
  arrivals_ = arrivals;
  growth_ = growth;
}

// From step to step, as long as that is not far.
void Steps::walk(size_t task, double window) {
  const double period = cycles_->period_[task];
  double begin = periods_[task] * period;
  if (window - begin > 4 * period) {
    periods_[task] = times(window, period, cycles_->rate_[task]) - 1;
    since_[task] = window - periods_[task] * period;
    return seek(*cycles_, task);
  }
  const uint32_t first = cycles_->place_[task], last = first + cycles_->count_[task];
  uint32_t place = place_[task];
  const double* const phase = cycles_->phase_.data();
  while (begin + phase[place] < window) {
    if (place++ < last) continue;
    place = first + 1;
    begin += period;
    periods_[task] += 1;
  }
  place_[task] = place;
  next_[task] = begin + phase[place];
}

void Steps::advance(double window) {
  const Cycles& cycles = *cycles_;
  double work = 0, arrivals = 0, growth = 0;
  for (size_t first = 0; first < tasks_; first += kBlock)
    for (unsigned bits = below(next_.data() + first, window); bits != 0; bits &= bits - 1) {
      const size_t task = first + static_cast<size_t>(__builtin_ctz(bits));
      if (task >= tasks_) continue;
      const Cycles::Reached& before = cycles.reached_[place_[task]];
      const double periods = periods_[task];
      walk(task, window);
      const Cycles::Reached& now = cycles.reached_[place_[task]];
      const double more = periods_[task] - periods;
      work += now.work - before.work + more * cycles.work_[task];
      arrivals += now.arrivals - before.arrivals + more * cycles.arrivals_[task];
      growth += (now.growth - before.growth) * cycles.copies_[task];
    }
  work_ += work;
  arrivals_ += arrivals;
  growth_ += growth;
}

}  // namespace samcl::analysis
