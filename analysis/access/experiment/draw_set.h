// Random task sets as in the experiments of Wang et al., "GCAPS", ECRTS 2024 (Section 7.1, Table 3): on each
// of four CPUs 3 to 6 tasks, whose utilisations add up to the CPU's (UUniFast); periods of 30 to 500 ms,
// deadlines as long, priorities rate-monotonic. 40 to 60 % of the tasks use the one GPU, in 1 to 3 segments;
// there G / C is 0.2 to 2, and G^m / G 0.1 to 0.3. Then tasks are distributed over the CPUs anew, worst fit,
// the largest first.
//
// The text leaves open how a task's time is divided among its segments: here in proportion to random numbers.
#pragma once

#include "analysis/access/tasks.h"

namespace samcl::analysis::access {

struct RandomSets {
  int cpus = 4;
  double utilisation = 0.5;                  // of each CPU
  double least_ratio = 0.2, most_ratio = 2;  // G / C
  double least_users = 0.4, most_users = 0.6;
};

// The same for the same seed, on every system. CPU and GPU stages alone, G^m as `host`.
analysis::TaskSet draw_set(const RandomSets& wanted, uint64_t seed);

}  // namespace samcl::analysis::access
