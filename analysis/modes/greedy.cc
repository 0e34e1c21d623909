// The papers' policies: one GPU for all, each task's own fastest mode, and two greedy ones from there.
//
// GEMA is Algorithm 1 of the GPU-SPARC paper, as printed: from one GPU for all, each step one task to all GPUs. It ends
// without a verdict: where nothing schedulable was met, all tasks are on all GPUs.
//
// GPA is Algorithm 1 of Han et al., "GPU-SAM", JSS 117 (2016), as printed: from each task's own fastest mode, each step
// one task to any mode, its present one among them. The paper does not say which of several equal ones is taken; here
// it is the first met, tasks from the most urgent on and modes from 1 on. A ratio of infinity (no fixed point) is as
// good as another.
#include <span>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {
namespace {

// Each step the task of those left and the mode of its own that leave the least max R_j / D_j, even if that is more
// than before, and this task is fixed; until schedulable, or all are fixed.
template <typename ModesOf>
Choice greedy(Candidates& candidates, Choice choice, std::vector<size_t> left, ModesOf modes_of) {
  while (!choice.schedulable && !left.empty()) {
    ModeStep best{left.front(), modes_of(left.front()).front(), kNever};
    for (const size_t task : left) {
      const int kept = choice.modes[task];
      for (const int mode : modes_of(task)) {
        choice.modes[task] = mode;
        const double ratio = candidates.ratio(choice.modes, best.ratio);
        if (ratio < best.ratio) best = {task, mode, ratio};
      }
      choice.modes[task] = kept;
    }
    std::erase(left, best.task);
    take(choice, best);
  }
  return choice;
}

}  // namespace

Choice choose_single(Candidates& candidates) { return candidates.choice(Modes(candidates.size(), 1)); }

Choice choose_local(Candidates& candidates) {
  Modes modes(candidates.size(), 1);
  for (size_t task = 0; task < modes.size(); ++task) modes[task] = candidates.fastest(task);
  return candidates.choice(modes);
}

Choice choose_gema(Candidates& candidates) {
  std::vector<size_t> left;
  for (size_t task = 0; task < candidates.size(); ++task)
    if (candidates.modes(task).size() > 1) left.push_back(task);
  return greedy(candidates, choose_single(candidates), std::move(left),
                [&](size_t task) { return std::span(candidates.modes(task)).last(1); });
}

Choice choose_gpa(Candidates& candidates) {
  return greedy(candidates, choose_local(candidates), candidates.order(),
                [&](size_t task) { return std::span(candidates.modes(task)); });
}

}  // namespace samcl::analysis
