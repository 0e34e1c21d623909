// Bounded tardiness under FMLP-Long without counting waiting as computing: ours, PROOF.md. Where many tasks
// share a GPU, the Shared Resource Method fails since it adds every task's blocking to the CPUs' load; here
// only e is, and one CPU per GPU is given up for the holders. In turn, the tardiness of all tasks that use a
// GPU adds up.
#pragma once

#include <optional>

#include "analysis/locking/shared_resource.h"

namespace samcl::analysis::locking {

struct SuspensionAwareVerdict {
  std::vector<SharedResourceTask> tasks;  // in the set's order; late is 0 where not schedulable
  ExactSum utilisation;                   // of e alone
  std::optional<size_t> too_long;         // the first task with e + s + b >= p and GPU use, or e > p without
  bool fits = false;                      // the utilisation is at most m less the number of GPUs
  bool settles = false;                   // the bounds, which depend on each other, are finite
  bool schedulable() const { return fits && !too_long && settles; }
};

SuspensionAwareVerdict analyse_suspension_aware(const TaskSet& set);

}  // namespace samcl::analysis::locking
