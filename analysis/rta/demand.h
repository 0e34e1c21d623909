// How much work of more urgent tasks can come in a window on one resource: the inner loops of every form.
//
// Columns, one row per stage, the rows of more urgent tasks first: what interferes with a task is a
// prefix, and the rows of one task lie together. Times are whole nanoseconds in doubles: every value
// stays below 2^53 (see kLongest), so that sums and products are exact and several rows are computed at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samcl::analysis {

// Sums from here on are no longer exact; a bound that needs them is "unbounded".
inline constexpr double kExact = 9007199254740992.0;  // 2^53
// A jitter that makes everything it reaches unbounded.
inline constexpr double kForever = 1e100;

struct Demand {
  std::vector<double> period;
  std::vector<double> rate;    // 1 / period, rounded; results are corrected by products with the period
  std::vector<double> cost;    // of one subtask
  std::vector<double> copies;  // subtasks: the same in all rows of a task
  std::vector<double> work;    // cost * copies
  std::vector<double> jitter;  // of the time the stage becomes ready
  std::vector<double> carry;   // of the time from which it runs without a break to its end
  std::vector<uint32_t> task;  // position of its task

  void resize(size_t rows);
};

// sum over rows < end of ceil((jitter + window) / period) * work: Tindell & Clark (1994).
double arriving(const Demand& demand, size_t end, double window);

struct Arrivals {
  double work = 0;    // as arriving()
  double stages = 0;  // how many stages became ready
};
// Also fills, per row and subtask, by how much the work grows if the stage is already at work when the
// window begins: (ceil((carry + window) / period) - ceil((jitter + window) / period)) * cost, at least 0.
Arrivals arriving(const Demand& demand, size_t end, double window, double* growth);

// As above, but of work executed in a window of `length`, for stages that become ready in one that
// begins `before` earlier: the last job counts as far as it fits. Fills per row and subtask the work of
// jobs that become ready in the window, and what a stage at work at its beginning adds. Returns how many
// stages become ready. Bertogna & Cirinei (2007), Guan et al. (2009).
double executing(const Demand& demand, size_t end, double length, double before, double* fresh,
                 double* growth);

// The line below arriving(): base + slope * window <= work, and likewise for the number of stages.
struct Line {
  double base = 0;
  double slope = 0;
};
Line below(const Demand& demand, size_t end);
Line stages_below(const Demand& demand, size_t end);

}  // namespace samcl::analysis
