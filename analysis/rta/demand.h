// How much work becomes ready on one resource in a window: the inner loop of every form.
//
// Columns, one row per stage, the rows of more urgent tasks first: what interferes with a task is a
// prefix. Times are whole nanoseconds in doubles: every value stays below 2^53 (see kLongest), so that
// sums and products are exact and several rows are computed at once.
#pragma once

#include <cstddef>
#include <vector>

namespace samcl::analysis {

// Sums from here on are no longer exact; a bound that needs them is "unbounded".
inline constexpr double kExact = 9007199254740992.0;  // 2^53

struct Demand {
  std::vector<double> period;
  std::vector<double> rate;    // 1 / period, rounded; results are corrected by products with the period
  std::vector<double> work;    // of all subtasks of one job's stage
  std::vector<double> jitter;  // of the time the stage becomes ready
  std::vector<double> carry;   // of the time it may still run (>= jitter): jitter + r - C

  void resize(size_t rows);
};

// sum over rows < end of ceil((jitter + window) / period) * work: Tindell & Clark (1994).
double arriving(const Demand& demand, size_t end, double window);

// The line below arriving(): base + slope * window <= arriving(window).
struct Line {
  double base = 0;
  double slope = 0;
};
Line below(const Demand& demand, size_t end);

}  // namespace samcl::analysis
