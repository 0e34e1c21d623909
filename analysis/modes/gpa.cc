// GPA, Algorithm 1 of Han et al., "GPU-SAM", JSS 117 (2016), as printed: from each task's own fastest mode,
// each step the task of those not fixed yet and the mode (its present one among them) that leave the least
// max R_j / D_j, and this task is fixed; until schedulable, or all are fixed. The paper does not say which of
// several equal ones is taken; here it is the first met, tasks from the most urgent on and modes from 1 on. A
// ratio of infinity (no fixed point) is as good as another.
#include <algorithm>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

Choice choose_gpa(Candidates& candidates) {
  Choice choice = choose_local(candidates);
  std::vector<size_t> remaining = candidates.order();
  while (!choice.schedulable && !remaining.empty()) {
    ModeStep best{remaining.front(), candidates.modes(remaining.front()).front(), kNever};
    for (const size_t task : remaining) {
      const int kept = choice.modes[task];
      for (const int mode : candidates.modes(task)) {
        choice.modes[task] = mode;
        const double ratio = candidates.ratio(choice.modes, best.ratio);
        if (ratio < best.ratio) best = {task, mode, ratio};
      }
      choice.modes[task] = kept;
    }
    take(choice, best);
    remaining.erase(std::find(remaining.begin(), remaining.end(), best.task));
  }
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
