#include "analysis/modes/branches.h"

#include <algorithm>
#include <utility>

namespace samcl::analysis {

Branches::Branches(Candidates& candidates, int64_t most_bounds)
    : candidates_(candidates), most_bounds_(most_bounds), modes_(candidates.size(), kUndecided) {}

Found Branches::explore(size_t depth) {
  if (depth == modes_.size()) return Found::modes;
  const size_t task = candidates_.order()[depth];
  std::vector<std::pair<double, int>> open;  // bound, mode
  for (const int mode : candidates_.modes(task)) {
    if (most_bounds_ > 0 && ++bounds_ > most_bounds_) return Found::gave_up;
    modes_[task] = mode;
    const double bound = candidates_.ratio(modes_, kLate);
    if (bound < kLate) open.emplace_back(bound, mode);
  }
  std::sort(open.begin(), open.end());
  for (const auto& [bound, mode] : open) {
    modes_[task] = mode;
    if (const Found found = explore(depth + 1); found != Found::nothing) return found;
  }
  modes_[task] = kUndecided;
  return Found::nothing;
}

}  // namespace samcl::analysis
