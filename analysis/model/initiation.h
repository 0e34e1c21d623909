// The CPU time that starting transfers and kernels takes (Han et al., "GPU-SAM", JSS 117 (2016),
// Section 4.2): the model knows one resource per stage, so it is added to execution times.
//
// A transfer of length `transfer` needs `transfer_cpu` of CPU time at the highest priority (the paper
// measured 0.2 ms for 10 ms), a launch of a kernel that runs for `launch` needs `launch_cpu` (15 us). Both
// are added to the stages themselves. They also delay other tasks' CPU stages: of those each grows by
// transfer_cpu * alpha, where alpha = ceil(T_i / transfer) is how many transfers can overlap a job at most;
// likewise for launches.
#pragma once

#include "analysis/model/task_set.h"

namespace samcl::analysis {

struct Initiation {
  Time transfer_cpu = 0, transfer = 0;  // 0: not counted
  Time launch_cpu = 0, launch = 0;
};

// Longer CPU, PCI and GPU stages; the set has passed check(). Shorter transfers than `transfer` would overlap
// more often: it is the shortest that the user means to bound.
TaskSet with_initiation(TaskSet set, const Initiation& initiation);

}  // namespace samcl::analysis
