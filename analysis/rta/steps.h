// The work of more urgent tasks on one resource as a window grows: a step function, evaluated at ever
// larger windows. Rows whose next step is not reached cost one comparison.
#pragma once

#include <vector>

#include "analysis/rta/demand.h"

namespace samcl::analysis {

class Steps {
 public:
  explicit Steps(size_t rows)
      : jobs_(rows + kBlock), next_(rows + kBlock), growth_(rows + kBlock), most_(rows) {}

  // Rows < end of the demand, which must not change meanwhile. With `carried`, growth too.
  void begin(const Demand& demand, size_t end, double window, bool carried);
  // A window at least as long as the last.
  void advance(double window);

  // sum of ceil((jitter + window) / period) * work: Tindell & Clark (1994).
  double work() const { return work_; }
  // How many stages become ready.
  double stages() const { return stages_; }
  // By how much the work grows if of each task the worst of its stages was at work when the window began:
  // (ceil((carry + window) / period) - ceil((jitter + window) / period)) * work, if that is more than 0.
  double growth() const { return growth_sum_; }
  // The same for each task and subtask, in the task's first row.
  double growth_of(size_t first_row) const { return most_[first_row]; }

 private:
  void step(size_t row, double window);
  void regard(size_t row);

  const Demand* demand_ = nullptr;
  size_t end_ = 0;
  bool carried_ = false;
  double work_ = 0, stages_ = 0, growth_sum_ = 0;
  std::vector<double> jobs_;    // [row], at the last window
  std::vector<double> next_;    // [row]: the longest window without another step
  std::vector<double> growth_;  // [row], per subtask
  std::vector<double> most_;    // [first row of a task]: the most of its rows' growth
};

}  // namespace samcl::analysis
