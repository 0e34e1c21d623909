// The least of the bounds at hand on the slots that a state still takes.
#pragma once

#include <algorithm>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/queue_relaxation.h"

namespace samcl::analysis::makespan {

class UpperBound {
 public:
  // `chain` outlives it.
  UpperBound(const Chain& chain, int warps, bool relaxation);

  Slots operator()(const Count* counts) const {
    Slots bound = last_warp_bound(chain_, counts);
    for (const QueueRelaxation& relaxation : relaxations_)
      if (const auto other = relaxation.bound(counts)) bound = std::min(bound, *other);
    return bound;
  }

 private:
  const Chain& chain_;
  std::vector<QueueRelaxation> relaxations_;
};

}  // namespace samcl::analysis::makespan
