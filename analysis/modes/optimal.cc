// Depth-first branch and bound: tasks are decided from the most urgent down. A partial choice whose bound
// (every undecided task counts with its least, see kUndecided) is not schedulable is left, since none of
// its completions is. Whatever is found is schedulable; if nothing is, there is nothing.
#include <algorithm>
#include <utility>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {
namespace {

class Branches {
 public:
  explicit Branches(Candidates& candidates)
      : candidates_(candidates), modes_(candidates.size(), kUndecided) {}

  // Whether there are schedulable modes: modes().
  bool explore(size_t depth = 0) {
    if (depth == modes_.size()) return true;
    const size_t task = candidates_.order()[depth];
    std::vector<std::pair<double, int>> open;  // bound, mode
    for (const int mode : candidates_.modes(task)) {
      modes_[task] = mode;
      const double bound = candidates_.ratio(modes_, kLate);
      if (bound < kLate) open.emplace_back(bound, mode);
    }
    std::sort(open.begin(), open.end());
    for (const auto& [bound, mode] : open) {
      modes_[task] = mode;
      if (explore(depth + 1)) return true;
    }
    modes_[task] = kUndecided;
    return false;
  }
  const Modes& modes() const { return modes_; }

 private:
  Candidates& candidates_;
  Modes modes_;
};

}  // namespace

// The search that is not exact goes first: where it succeeds nothing is left to prove.
Choice choose_optimal(Candidates& candidates) {
  Choice choice = choose_search(candidates);
  if (choice.schedulable || choice.impossible) return choice;
  Branches branches(candidates);
  const Modes start = choice.start;
  if (branches.explore())
    choice = candidates.choice(start, branches.modes());
  else
    choice.impossible = true;
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
