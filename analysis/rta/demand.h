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

// Rounded down or up, for 0 <= value < kExact: less than a call of the C library.
inline double whole(double value) { return static_cast<double>(static_cast<int64_t>(value)); }
inline double whole_above(double value) {
  const double below = whole(value);
  return below < value ? below + 1 : below;
}

// The loops run over whole blocks: columns are longer than their rows by one.
inline constexpr size_t kBlock = 8;

struct Demand {
  std::vector<double> period;
  std::vector<double> rate;    // 1 / period, rounded; results are corrected by products with the period
  std::vector<double> cost;    // of one subtask
  std::vector<double> copies;  // subtasks: the same in all rows of a task
  std::vector<double> work;    // cost * copies
  std::vector<double> jitter;  // of the time the stage becomes ready
  std::vector<double> carry;   // of the time from which it runs without a break to its end
  // Of what is had on several lanes in any order and at any time: all of it, from a job's first to its last. Else 0.
  std::vector<double> span;
  std::vector<double> requests;      // for the resource, by one job's stage: it becomes ready that often
  std::vector<uint32_t> first, end;  // rows of the same task

  explicit Demand(size_t rows = 0);
  // How many more requests there are than the stages that become ready in a window tell: those that a stage
  // which became ready earlier has left.
  double left(size_t row) const { return requests[row] > 1 ? requests[row] : 0; }
  // Writes all that depends on these.
  void set(size_t row, double cost, double copies, double jitter, double carry);
};

// As executed in a window of `length`, by stages that become ready in one that begins `before` earlier:
// the last job counts as far as it fits. Fills per row < end and subtask the work of jobs that become
// ready in the window, and what a stage at work at its beginning adds; both arrays have room for a block
// more. Returns how many requests there are. Bertogna & Cirinei (2007), Guan et al. (2009).
double executing(const Demand& demand, size_t end, double length, double before, double* fresh, double* growth);

}  // namespace samcl::analysis
