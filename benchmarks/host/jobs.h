// The two ways to run jobs, and what is measured of each.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "benchmarks/host/workload.h"

namespace bench {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

enum Phase { kUpload, kKernel, kDownload, kTotal, kPhases };

// Times of one job, ms per phase.
struct JobTimes {
  std::array<double, kPhases>
      device{};                        // from events: summed over the phase's commands; total: first start to last end
  std::array<double, kPhases> host{};  // time the host spent in the phase; total: from release to result
};

struct JobLog {
  std::vector<JobTimes> jobs;           // without those for warm-up
  std::vector<double> responses;        // periodic: ms from release to result
  size_t misses = 0;                    // periodic: responses above the deadline
  uint64_t checksum = 0;                // of the first result
  std::optional<size_t> first_changed;  // the first job, warm-up included, whose result differs from the first
  size_t compared = 0;                  // results, those of warm-up included
};

// `warmup` + `count` jobs, one after the other.
JobLog run_back_to_back(Workload& workload, size_t warmup, size_t count);

// Jobs are marked (samcl/samcl.h, which without samcl says it to nobody).
// After `warmup` jobs, job i is released at start + i * period; a job that overruns delays the next, whose
// response still counts from its own release. Comparing results is no part of the task: it is done where there is time
// for it before the next release, and for the last job.
JobLog run_periodic(Workload& workload, size_t warmup, size_t count, Milliseconds period, Milliseconds deadline);

}  // namespace bench
