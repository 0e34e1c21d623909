// GPU-SAM's Fig. 11: how long GPA takes, in CPU time, over the number of tasks.
//
// The paper's sets have utilisations from 0.1 to 4.0. Here n tasks are drawn as for its other figures, and
// all of their times multiplied by one factor, so that U_G is uniform in 0.1..4.0 (or less, where a task
// would exceed its period).
#pragma once

#include <string>
#include <vector>

#include "analysis/experiment/chart.h"
#include "analysis/experiment/figure.h"

namespace samcl::analysis {

struct RunningTimes {
  size_t tasks = 0;
  int64_t sets = 0;
  int64_t schedulable = 0;
  double mean = 0, longest = 0;  // ms of CPU time
};

// Sets of 2 to 30 tasks in turn.
TaskSet timed_set(const PaperSet& wanted, uint64_t seed, int64_t n);

// By number of tasks, of so many sets in all.
std::vector<RunningTimes> running_times(const PaperSet& wanted, Form form, int64_t sets, uint64_t seed);

std::string format_csv(const std::vector<RunningTimes>& times);
Chart chart(const std::vector<RunningTimes>& times);

}  // namespace samcl::analysis
