// Tasks that stay on one CPU each and use GPUs in segments, as the literature on predictable access to GPUs
// has them: a job executes on its CPU, and now and then in a GPU segment, in which it needs its CPU for some
// time (G^m: launching, driver) and the GPU for some (G^e: copies and kernels). While the GPU works the job
// suspends itself, or keeps its CPU (busy_waits). CPUs are preemptive with fixed priorities.
//
// A GPU, or a spatial partition of one (by MPS, MIG or libsmctrl), is a device; a task uses one device. Who
// may use it when several want to is what the analyses of access.h are about.
//
// Whole nanoseconds; no I/O. The letters are those of Wang et al., "GCAPS", ECRTS 2024.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::access {

struct Segment {
  Time misc = 0;  // G^m: on the CPU, before and after the GPU's work
  Time pure = 0;  // G^e: on the GPU
};

struct Task {
  std::string name;
  size_t index = 0;  // in the set that it was made from
  Time period = 0, deadline = 0;
  Time jitter = 0;
  std::optional<Time> offset;
  int cpu = 0;
  int device = 0;    // that its segments use
  int gpu_rank = 0;  // smaller is more urgent on the device; distinct
  bool busy = false;
  std::vector<Time> between;      // C_j: before, between and behind the segments; any of them may be 0
  std::vector<Segment> segments;  // in their order

  bool uses_gpu() const { return !segments.empty(); }
  Time count() const { return static_cast<Time>(segments.size()); }  // eta
  Time cpu_time() const;                                             // C
  Time misc() const;                                                 // G^m of all segments
  Time pure() const;                                                 // G^e of all segments
  Time longest_misc() const;
  Time longest_segment() const;  // misc and pure
};

struct TaskSet {
  int cpus = 1;
  int devices = 1;
  std::vector<Task> tasks;  // the most urgent first
};

// Stages on links and GPUs without a CPU stage in between are one segment: `host` of them is G^m, the rest of
// `worst` G^e. Devices: where the platform is bound, each task's first; of one GPU all tasks share it; of
// several that are not bound, each task has as many of them for itself as its mode says (streaming
// multiprocessors, say, in a partition of their own), and an error says so where they are too few. Priorities
// as in priority_order(). The set has passed check() for Model::partitioned.
Result<TaskSet> tasks_of(const analysis::TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis::access
