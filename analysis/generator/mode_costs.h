// What a stage costs in mode k, from what it costs on one GPU: GPU-SAM's measurements on two GPUs (Han et
// al., JSS 117 (2016), Table 3), continued in a straight line to more, since "extra data copy and output
// merge times are proportional to the number of GPUs". A further GPU adds the same again:
//
//   kernel      C^(k) = ceil(C / k) on each GPU
//   upload      C^(k) = C (1 + 1.5 (k - 1))      3.7 if the task's kernels depend on each other
//   download    C^(k) = C (1 + 1.1 (k - 1))      10.7
//   merge       2.2 D (k - 1) of CPU time after a download that takes D on one GPU; 12.7 D
//
// Of kernels that do not depend on each other the sums over the table's benchmarks count: 41.85 to 105.24 ms
// of uploads, 17.44 to 37.29 of downloads and 37.97 of merging; of those that do, Pagerank: 63.17 to
// 297.63, 5.17 to 60.36 and 65.80. Times are rounded up to whole nanoseconds.
#pragma once

#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// C^(1)..C^(gpus).
std::vector<Time> kernel_times(Time single, int gpus);
std::vector<Time> upload_times(Time single, int gpus, bool dependent);
std::vector<Time> download_times(Time single, int gpus, bool dependent);
// A CPU stage right after a download: it merges what the GPUs sent.
std::vector<Time> merging_times(Time single, Time download, int gpus, bool dependent);

}  // namespace samcl::analysis
