// dbf_T(t): the most that jobs of a task can demand which are both triggered and have their deadlines within
// one interval of length t; for any t, in time logarithmic in the number of steps. PROOF.md has the argument.
#pragma once

#include <optional>

#include "analysis/dbf/fronts.h"
#include "analysis/dbf/intervals.h"
#include "analysis/dbf/staircase.h"

namespace samcl::analysis::dbf {

// How demands for t >= P follow from those of shorter intervals, with r = t mod P and k the whole periods
// in t:
//
//   exact      max(k E + s(r), (k - 1) E + s(P + r)), where s counts only walks that trigger the source
//   published  max(k E + dbf(r), (k - 1) E + dbf(P + r)), the paper's Equation 1 as far as its text is known
//   to
//              us; never less than the exact form, and more where what may happen within r cannot happen
//              beside whole instances
enum class Recurrence { exact, published };

// Stands for itself and all above: sums of two do not overflow.
inline constexpr Time kMostDemand = Time{1} << 61;

class DemandBound {
 public:
  // What walks without a source and walks with one demand, both up to 2 P; heaviest: E(T).
  DemandBound(const Staircase& without_source, const Staircase& with_source, Time period, Time heaviest,
              Recurrence recurrence = Recurrence::exact);
  DemandBound(const TaskGraph& task, const Fronts& fronts, Recurrence recurrence = Recurrence::exact);

  // t >= 0. At most kMostDemand.
  Time at(Time t) const;

  // The greatest t' < t and the least t' > t at which the bound may change; 0 is not one. No later than t by
  // more than two periods.
  std::optional<Time> change_before(Time t) const;
  Time change_after(Time t) const;

  Time period() const { return period_; }
  Time heaviest() const { return heaviest_; }

  // The least c, rounded up, with dbf(t) <= c + t E / P for all t. At most 2 E in the exact form.
  Time burst() const;

  // Steps up to a period; and those of dbf(P + r) for r < P, the first at r = 0. Longer intervals: each
  // further period adds E.
  const Staircase& first_period() const { return first_; }
  const Staircase& second_period() const { return second_; }

 private:
  Time period_, heaviest_;
  Staircase first_, second_;
};

}  // namespace samcl::analysis::dbf
