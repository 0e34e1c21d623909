// GEMA, Algorithm 1 of the GPU-SPARC paper, as printed: from one GPU for all, each step the task to all GPUs
// whose change leaves the least max R_j / D_j, even if that is more than before; until schedulable, or no
// task is left. It ends without a verdict: where nothing schedulable was met, all tasks are on all GPUs.
#include <algorithm>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

Choice choose_gema(Candidates& candidates) {
  Choice choice = candidates.choice(Modes(candidates.size(), 1));
  Modes& modes = choice.modes;
  std::vector<size_t> left;
  for (size_t task = 0; task < modes.size(); ++task)
    if (candidates.modes(task).size() > 1) left.push_back(task);
  while (!choice.schedulable && !left.empty()) {
    ModeStep best{left.front(), candidates.modes(left.front()).back(), kNever};
    for (const size_t task : left) {
      const int mode = candidates.modes(task).back();
      modes[task] = mode;
      const double ratio = candidates.ratio(modes, best.ratio);
      if (ratio < best.ratio) best = {task, mode, ratio};
      modes[task] = 1;
    }
    left.erase(std::find(left.begin(), left.end(), best.task));
    take(choice, best);
  }
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
