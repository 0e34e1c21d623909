// All methods on one task set.
#pragma once

#include <algorithm>
#include <string>

#include "analysis/locking/container.h"
#include "analysis/locking/shared_resource.h"
#include "analysis/locking/suspension_aware.h"

namespace samcl::analysis::locking {

struct Verdicts {
  std::vector<SharedResourceVerdict> shared_resource;  // in the order of Protocol; SMLP where the GPU has parts
  ContainerVerdict containers;
  SuspensionAwareVerdict suspension_aware;
  ExactSum gpu_utilisation;      // sum of cs / p: at most the number of GPUs if schedulable (Ineq. 13)
  std::vector<Time> loose_omlp;  // b by Eq. (3)

  // The Shared Resource Method takes whichever protocol makes the set schedulable.
  bool by_shared_resource() const {
    return std::any_of(shared_resource.begin(), shared_resource.end(),
                       [](const auto& verdict) { return verdict.schedulable(); });
  }
  bool schedulable() const {
    return by_shared_resource() || containers.schedulable() || suspension_aware.schedulable();
  }
};

Verdicts analyse(const TaskSet& set, TardinessBound bound = TardinessBound::least);

// Which condition fails, in words with its numbers; "" where none does.
std::string failure(const TaskSet& set, const SharedResourceVerdict& verdict);
std::string failure(const TaskSet& set, const ContainerVerdict& verdict);
std::string failure(const TaskSet& set, const SuspensionAwareVerdict& verdict);

}  // namespace samcl::analysis::locking
