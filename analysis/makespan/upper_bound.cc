#include "analysis/makespan/upper_bound.h"

namespace samcl::analysis::makespan {

UpperBound::UpperBound(const Chain& chain, int warps, bool relaxation) : chain_(chain) {
  if (!relaxation) return;
  int kept = 1;
  for (size_t unit = 0; unit < chain.units(); ++unit) kept = std::max(kept, chain.capacity(unit));
  for (const Stations& stations : {by_unit(chain), by_run(chain)})
    if (auto made = QueueRelaxation::make(chain, warps, stations, kept)) relaxations_.push_back(std::move(*made));
}

}  // namespace samcl::analysis::makespan
