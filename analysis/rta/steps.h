// The work of more urgent tasks on one resource as a window grows: a step function, evaluated at ever
// larger windows. Tasks whose next step is not reached cost one comparison.
#pragma once

#include <vector>

#include "analysis/rta/cycles.h"

namespace samcl::analysis {

class Steps {
 public:
  explicit Steps(size_t tasks)
      : periods_(tasks + kBlock), since_(tasks + kBlock), next_(tasks + kBlock), place_(tasks) {}

  // The first `tasks` of the cycles, which must not change meanwhile.
  void begin(const Cycles& cycles, size_t tasks, double window);
  // A window at least as long as the last.
  void advance(double window);

  // sum of ceil((jitter + window) / period) * work: Tindell & Clark (1994).
  double work() const { return work_; }
  // How many requests for the resource there are.
  double arrivals() const { return arrivals_; }
  // By how much the work grows if of each task the worst of its stages was at work when the window began:
  // (ceil((carry + window) / period) - ceil((jitter + window) / period)) * work, if that is more than 0.
  double growth() const { return growth_; }
  // The same for one task and subtask.
  double growth_of(size_t task) const { return cycles_->reached_[place_[task]].growth; }

 private:
  inline void seek(const Cycles& cycles, size_t task);
  void walk(size_t task, double window);

  const Cycles* cycles_ = nullptr;
  size_t tasks_ = 0;
  double work_ = 0, arrivals_ = 0, growth_ = 0;
  std::vector<double> periods_;  // [task]: whole periods in the window
  std::vector<double> since_;    // [task]: the rest of it, when sought
  std::vector<double> next_;     // [task]: the longest window without another step
  std::vector<uint32_t> place_;  // [task]: in Cycles::reached_
};

}  // namespace samcl::analysis
