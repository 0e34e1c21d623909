#include "analysis/dbf/demand_bound.h"

#include <algorithm>

namespace samcl::analysis::dbf {
namespace {

// What the steps are from `begin` on and before `end`, counted from `begin`.
Staircase part(const Staircase& steps, Time begin, Time end) {
  Staircase kept;
  const Time first = value_at(steps, begin);
  if (first > 0) kept.push_back({0, first});
  for (const Step& step : steps)
    if (step.at >= begin && step.at < end && step.demand > first) kept.push_back({step.at - begin, step.demand});
  return kept;
}

const Step* last_before(const Staircase& steps, Time t) {
  const auto after =
      std::lower_bound(steps.begin(), steps.end(), t, [](const Step& step, Time value) { return step.at < value; });
  return after == steps.begin() ? nullptr : &*std::prev(after);
}

const Step* first_after(const Staircase& steps, Time t) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), t, [](Time value, const Step& step) { return value < step.at; });
  return after == steps.end() ? nullptr : &*after;
}

}  // namespace

DemandBound::DemandBound(const Staircase& without_source, const Staircase& with_source, Time period, Time heaviest,
                         Recurrence recurrence)
    : period_(period), heaviest_(heaviest) {
  first_ = part(larger_of(without_source, with_source, 0, 0), 0, period);
  second_ = larger_of(Staircase{{0, heaviest}}, part(with_source, 0, period), 0, heaviest);
  second_ = larger_of(second_, part(with_source, period, 2 * period), 0, 0);
  if (recurrence == Recurrence::published) second_ = larger_of(second_, first_, 0, heaviest);
}

DemandBound::DemandBound(const TaskGraph& task, const Fronts& fronts, Recurrence recurrence)
    : DemandBound(fronts.without_source(), fronts.with_source(), task.period, heaviest_path(task).execution,
                  recurrence) {}

Time DemandBound::at(Time t) const {
  if (t < period_) return value_at(first_, t);
  const Time periods = t / period_ - 1;
  Time demand = 0;
  if (__builtin_mul_overflow(periods, heaviest_, &demand) || demand > kMostDemand) return kMostDemand;
  return std::min(kMostDemand, demand + value_at(second_, t % period_));
}

std::optional<Time> DemandBound::change_before(Time t) const {
  if (t > period_) {
    const Time whole = (t - 1) / period_ * period_;  // the period that holds t - 1
    return whole + last_before(second_, t - whole)->at;
  }
  const Step* step = last_before(first_, t);
  return step ? std::optional(step->at) : std::nullopt;
}

Time DemandBound::change_after(Time t) const {
  const Time whole = t / period_ * period_;
  const Step* step = first_after(t < period_ ? first_ : second_, t - whole);
  return step ? whole + step->at : whole + period_;
}

Time DemandBound::burst() const {
  using Wide = __int128;
  Wide most = 0;  // times P
  const auto look = [&](const Staircase& steps, Time begin) {
    for (const Step& step : steps)
      most = std::max(most, Wide{step.demand} * period_ - (Wide{begin} + step.at) * heaviest_);
  };
  look(first_, 0);
  look(second_, period_);
  return static_cast<Time>((most + period_ - 1) / period_);
}

}  // namespace samcl::analysis::dbf
