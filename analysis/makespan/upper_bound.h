// The least of the bounds at hand on the slots that a state still takes.
#pragma once

#include <algorithm>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/queue_relaxation.h"
#include "analysis/makespan/run_relaxation.h"

namespace samcl::analysis::makespan {

class UpperBound {
 public:
  // `chain` outlives it.
  UpperBound(const Chain& chain, int warps, bool queues, bool runs) : chain_(chain) {
    if (queues) queues_ = QueueRelaxation::make(chain, warps);
    if (runs) runs_ = RunRelaxation::make(chain, warps);
  }

  Slots operator()(const Count* counts) const {
    Slots bound = last_warp_bound(chain_, counts);
    if (queues_) bound = std::min(bound, queues_->bound(chain_, counts).value_or(bound));
    if (runs_) bound = std::min(bound, runs_->bound(counts));
    return bound;
  }

 private:
  const Chain& chain_;
  std::optional<QueueRelaxation> queues_;
  std::optional<RunRelaxation> runs_;
};

}  // namespace samcl::analysis::makespan
