// Random task sets as the experiments of the GPU-SPARC and GPU-SAM papers describe them:
//
//   - T = D, uniform in 100..1000 ms; 1 + 4k stages CPU-(PCI-GPU-PCI-CPU)^k, k uniform in 1..5;
//   - the stages' worst times on one GPU add up to a sum uniform in 5 ms..T (or less, most_share),
//   "arbitrarily distributed";
//   - with probability P_D a task's kernels depend on each other (mode_costs.h);
//   - tasks are added, from two on, until the GPU utilisation in mode 1 is above the target. Each set on this
//   way is one of the experiment's: the first n tasks, for n from 2 on;
//   - GPU-SAM: 70% of the tasks are GPU-bound, 20% PCI-bound, 10% CPU-bound.
//
// Where this leaves the split open: the stages' shares are in proportion to uniform random numbers, or lie
// between random cuts; a task bound to one resource has a share of its sum there that is uniform
// in 88.5..99.8 % (what GPU-SAM measured of compute-intensive benchmarks), split likewise, and the rest
// elsewhere.
#pragma once

#include <cstdint>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

enum class Split { numbers, cuts };

struct PaperSet {
  Platform platform = {4, 1, 4};
  bool classes = false;  // GPU-SAM's; else no resource is preferred
  Split split = Split::numbers;
  double most_share = 1;       // of its period that a task executes at most in mode 1; the papers: 1
  double dependency = 0;       // P_D
  double gpu_utilisation = 0;  // to be exceeded
  size_t least_tasks = 2;      // as many at least
  size_t most_tasks = 200;     // and no more, whatever the utilisation
};

// Of one task in mode 1.
double gpu_utilisation(const Task& task);

// The last set of the way; the same for the same seed, on every system.
TaskSet paper_set(const PaperSet& wanted, uint64_t seed);

}  // namespace samcl::analysis
