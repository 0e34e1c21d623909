// The least of the bounds at hand on the slots that a state still takes.
#pragma once

#include <algorithm>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/queue_relaxation.h"

namespace samcl::analysis::makespan {

class UpperBound {
 public:
  // `chain` outlives it.
  UpperBound(const Chain& chain, int warps, bool relaxation) : chain_(chain) {
    if (relaxation) relaxation_ = QueueRelaxation::make(chain, warps);
  }

  Slots operator()(const Count* counts) const {
    const Slots bound = last_warp_bound(chain_, counts);
    return relaxation_ ? std::min(bound, relaxation_->bound(chain_, counts).value_or(bound)) : bound;
  }

 private:
  const Chain& chain_;
  std::optional<QueueRelaxation> relaxation_;
};

}  // namespace samcl::analysis::makespan
