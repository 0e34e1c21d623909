// Tasks that share GPUs under global EDF, as in Elliott & Anderson, "Globally scheduled real-time
// multiprocessor systems with GPUs", Real-Time Systems 48 (2012): m CPUs, one GPU (here: one or more alike),
// sporadic tasks with implicit deadlines, of which some use a GPU once per job, in a critical section.
//
// A job executes e on a CPU and s on a GPU. Its critical section of length cs covers the GPU's time and the
// CPU's part of it, cs - s: copying data to and from the GPU. The GPU's driver lets one job use a GPU at a
// time. What is guaranteed is soft: every job ends within its deadline plus a bounded tardiness.
//
// Times in whole nanoseconds. No I/O in this folder; json/locking_json.h reads and writes these types.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::locking {

inline constexpr size_t kMostTasks = 10'000;  // sums of their times stay below 2^60

struct Task {
  std::string name;
  Time period = 0;   // p: least separation of releases, and relative deadline
  Time cpu = 0;      // e
  Time gpu = 0;      // s; 0: uses no GPU
  Time section = 0;  // cs, from s to e + s; 0 where s is
  // s with one, two, ... of the GPU's parts; the last is `gpu`. Empty where the GPU has no parts.
  std::vector<Time> on_parts = {};

  bool uses_gpu() const { return gpu > 0; }
  Time gpu_on(int parts) const { return on_parts.empty() ? gpu : on_parts[static_cast<size_t>(parts) - 1]; }
  Time execution() const { return cpu + gpu; }          // e + s
  Time communication() const { return section - gpu; }  // the CPU's part of the critical section
};

struct TaskSet {
  int cpus = 1;
  int gpus = 1;
  std::vector<Task> tasks = {};
  int parts = 1;   // of the one GPU, which jobs may have apart from each other: smlp.h
  Time slice = 0;  // no part is in use at a multiple of it; 0: there are no slices
};

// What makes no sense is an error naming task and field: nothing may be analysed before this.
Result<void> check(const TaskSet& set);

// What a CPU would have to do for this task if there were no GPU and it were `speed_up` times as slow in a
// critical section: (e - comm + f (comm + s)) / p.
double effective_utilisation(const Task& task, double speed_up);
double effective_utilisation(const TaskSet& set, double speed_up);

}  // namespace samcl::analysis::locking
