#include "analysis/makespan/convergence.h"

#include "analysis/makespan/bounds.h"

namespace samcl::analysis::makespan {

Convergence convergence(const Kernel& kernel, int warps, int most, const Effort& effort,
                        const std::function<double()>& clock) {
  Convergence result{.warps = warps,
                     .published = published_bound(kernel, warps),
                     .safe = safe_bound(kernel, warps),
                     .worst = worst_case(kernel, warps, effort),
                     .points = {}};
  for (int y = 1; y <= std::min(most, warps); ++y) {
    const double start = clock ? clock() : 0;
    const WorstCase of_y = worst_case(kernel, y, effort);
    const double seconds = clock ? clock() - start : 0;
    if (!of_y.exact()) break;
    const Slots estimate = (warps + y - 1) / y * of_y.attained;
    const Slots least = result.points.empty() ? estimate : std::min(estimate, result.points.back().least);
    result.points.push_back({y, of_y.attained, estimate, least, seconds});
  }
  return result;
}

}  // namespace samcl::analysis::makespan
