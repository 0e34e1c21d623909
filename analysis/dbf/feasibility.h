// Whether a set of recurring tasks is schedulable by preemptive EDF on one processor, and so by any
// algorithm: iff the sum of all dbf_T(t) is at most t for every t (Baruah 2003). Only those t need a look at
// which a bound changes, and of these only few: Quick Processor-demand Analysis (Zhang & Burns, IEEE Trans.
// Computers 58(9), 2009), which holds for every nondecreasing demand.
#pragma once

#include <optional>
#include <vector>

#include "analysis/dbf/demand_bound.h"

namespace samcl::analysis::dbf {

// In an interval of length t more than t is demanded.
struct Excess {
  Time t = 0;
  Time demand = 0;     // kMostDemand: that or more
  bool least = false;  // no shorter interval has too much demand
};

struct Verdict {
  bool feasible = false;
  std::optional<Excess> excess;  // if not feasible
  Time last_t = 0;               // no t above needed a look
  // The paper's bound on such t: the sum of 2 E over 1 - U, rounded down; nothing for U >= 1 or beyond 2^61
  // ns.
  std::optional<Time> published_last_t;
  int64_t looks = 0;  // at how many t
};

// U, the sum of E / P, for people: the verdict does not depend on its rounding.
double utilisation(const std::vector<DemandBound>& bounds);

Time total_demand(const std::vector<DemandBound>& bounds, Time t);  // at most kMostDemand

// The least t' > t at which a bound may change.
Time next_change(const std::vector<DemandBound>& bounds, Time t);

// An error if no answer was found: the utilisation is too close to 1, or is 1 and the periods have a very
// large common multiple.
Result<Verdict> feasibility(const std::vector<DemandBound>& bounds);

// Where the demand is the largest part of the interval: demand / t is the speed of the slowest processor that
// is fast enough, unless the utilisation is above it.
struct Tightest {
  Step step;
  // No interval at all is tighter. Else only none up to the hundred thousandth t at which a bound changes:
  // where the demand is nowhere above the utilisation, longer intervals may come closer to that.
  bool of_all = false;
};
Tightest tightest_interval(const std::vector<DemandBound>& bounds);

}  // namespace samcl::analysis::dbf
