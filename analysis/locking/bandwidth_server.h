// Deadlines of a total bandwidth server (Spuri & Buttazzo, RTSS 1994): what a container's jobs compete with.
#pragma once

#include "analysis/locking/blocking.h"

namespace samcl::analysis::locking {

class BandwidthServer {
 public:
  // For the tasks of which gpu_of says `gpu`. The bandwidth is exact where their periods' least common
  // multiple is below 2^40, else rounded up in units of 2^-40.
  BandwidthServer(const TaskSet& set, const std::vector<int>& gpu_of, int gpu);

  // The server deadline of the next job in order of release, rounded up to whole nanoseconds.
  Time deadline(Time release, Time execution);

 private:
  Time numerator_ = 0, denominator_ = 1;  // of the bandwidth
  Time start_ = 0;                        // of the jobs whose windows follow each other without a gap
  Time work_ = 0;                         // of these
  Time last_ = 0;                         // deadline
};

}  // namespace samcl::analysis::locking
