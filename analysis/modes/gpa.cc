// GPA, Algorithm 1 of Han et al., "GPU-SAM", JSS 117 (2016): from each task's own fastest mode, each step the
// task and the mode that leave the least max R_j / D_j, and this task is fixed; until schedulable, or all
// are fixed. Among equals a task stays as it is; so when no change is an improvement none will be in later
// steps, and the rest are fixed as they are.
#include <algorithm>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {
namespace {

// Whether some mode of the task may leave less than `enough`, by one analysis for all of its modes.
bool may_help(Candidates& candidates, Modes& modes, size_t task, double enough) {
  if (!candidates.exact_bounds() || candidates.modes(task).size() < 3) return true;
  const int kept = modes[task];
  modes[task] = kUndecided;
  const double least = candidates.ratio(modes, enough);
  modes[task] = kept;
  return least < enough;
}

// The best change of a task that is not fixed; its ratio is that of `now` if there is none.
ModeStep best_change(Candidates& candidates, Modes& modes, const std::vector<bool>& fixed, double now) {
  ModeStep best{0, 0, now};
  for (const size_t task : candidates.order()) {
    if (fixed[task] || !may_help(candidates, modes, task, best.ratio)) continue;
    const int kept = modes[task];
    for (const int mode : candidates.modes(task)) {
      if (mode == kept) continue;
      modes[task] = mode;
      const double ratio = candidates.ratio(modes, best.ratio);
      if (ratio < best.ratio) best = {task, mode, ratio};
    }
    modes[task] = kept;
  }
  return best;
}

}  // namespace

Choice choose_gpa(Candidates& candidates) {
  Choice choice = choose_local(candidates);
  std::vector<bool> fixed(candidates.size(), false);
  while (!choice.schedulable) {
    const ModeStep best = best_change(candidates, choice.modes, fixed, choice.ratio);
    if (best.ratio >= choice.ratio) break;
    choice.modes[best.task] = best.mode;
    fixed[best.task] = true;
    choice.steps.push_back(best);
    choice.ratio = best.ratio;
    choice.schedulable = best.ratio < kLate;
  }
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
