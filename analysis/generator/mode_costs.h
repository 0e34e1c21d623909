// What a stage costs in mode k, from what it costs on one GPU: GPU-SAM's measurements on two GPUs (Han et
// al., JSS 117 (2016), Table 3), continued in a straight line to more. A further GPU adds the same again:
//
//   kernel      C^(k) = ceil(C / k) on each GPU
//   upload      C^(k) = C (1 + 1.5 (k - 1))      x2.5 on two GPUs; x4.7 if its kernels depend on each other
//   download    C^(k) = C (1 + 1.0 (k - 1))      x2 on two GPUs; x11.7 if they do
//   merge       D (k - 1) of CPU time after a download that takes D on one GPU
//
// Kernels that depend on each other have to exchange what each GPU wrote, which is why their transfers grow
// faster (3.7 and 10.7 per further GPU). Times are rounded up to whole nanoseconds.
#pragma once

#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// C^(1)..C^(gpus).
std::vector<Time> kernel_times(Time single, int gpus);
std::vector<Time> upload_times(Time single, int gpus, bool dependent);
std::vector<Time> download_times(Time single, int gpus, bool dependent);
// A CPU stage right after a download: it merges what the GPUs sent.
std::vector<Time> merging_times(Time single, Time download, int gpus);

}  // namespace samcl::analysis
