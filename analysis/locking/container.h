// The Container Method: the tasks that use one GPU run in a container, one job at a time, first come, first
// served, so that nobody ever waits for a lock. Schedulable, with bounded tardiness, if the container's
// bandwidth w, the sum of its tasks' (e + s) / p, is at most 1, and with the other tasks' utilisation at most
// m.
//
// Ours, so that no server period has to be chosen: the container competes under G-EDF as a total bandwidth
// server (Spuri & Buttazzo, RTSS 1994) of bandwidth w. The k-th job in order of release has the server
// deadline d_k = max(r_k, d_{k-1}) + (e + s) / w. PROOF.md bounds the tardiness. (Containers in general:
// Leontyev & Anderson, "A hierarchical multiprocessor bandwidth reservation scheme with timing guarantees",
// Real-Time Systems 43, 2009.) With several GPUs there is a container for each.
#pragma once

#include <optional>

#include "analysis/locking/blocking.h"
#include "analysis/locking/tardiness.h"

namespace samcl::analysis::locking {

struct ContainerVerdict {
  std::vector<int> gpu_of;          // container of each task, kNoGpu: outside
  std::vector<ExactSum> bandwidth;  // w of each container
  ExactSum utilisation;             // of all tasks
  std::optional<size_t> overfull;   // the first container with w > 1
  std::optional<size_t> too_long;   // the first task with e + s > p
  bool fits = false;                // the utilisation is at most m
  std::vector<Time> late;           // tardiness of each task at most; empty where not schedulable
  bool schedulable() const { return fits && !overfull && !too_long; }
};

ContainerVerdict analyse_containers(const TaskSet& set);

// Deadlines of a total bandwidth server (Spuri & Buttazzo, RTSS 1994): what a container's jobs compete with.
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
