// Where the search begins: from each task's own fastest mode, each step the task and the mode that leave the
// least max R_j / D_j, and this task is fixed; until schedulable, or no change is an improvement. That is GPA
// (greedy.cc), but among equals a task stays as it is, so that it ends much earlier where GPA goes on fixing
// tasks for no gain.
#include <algorithm>
#include <numeric>

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

// Tasks in the order in which they are tried: what was good a step ago is likely to be good again, and the
// sooner the best is found, the less of the others has to be analysed. Their ranks in the order of priority.
std::vector<size_t> most_promising_first(const std::vector<double>& told) {
  std::vector<size_t> ranks(told.size());
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  std::stable_sort(ranks.begin(), ranks.end(), [&](size_t a, size_t b) { return told[a] < told[b]; });
  return ranks;
}

// The best change of a task that is not fixed; its ratio is that of `now` if there is none. Among equals that
// of the most urgent task. `told`, by rank: what is known of the best change of each, for the next step.
ModeStep best_change(Candidates& candidates, Modes& modes, const std::vector<bool>& fixed, double now,
                     std::vector<double>& told) {
  ModeStep best{0, 0, now};
  size_t best_rank = 0;
  for (const size_t rank : most_promising_first(told)) {
    const size_t task = candidates.order()[rank];
    if (fixed[task]) continue;
    double enough = rank < best_rank ? std::nextafter(best.ratio, kNever) : best.ratio;
    told[rank] = kNever;
    if (!may_help(candidates, modes, task, enough)) continue;
    const int kept = modes[task];
    for (const int mode : candidates.modes(task)) {
      if (mode == kept) continue;
      modes[task] = mode;
      const double ratio = candidates.ratio(modes, enough);
      told[rank] = std::min(told[rank], ratio);
      if (ratio >= enough) continue;
      best = {task, mode, ratio};
      best_rank = rank;
      enough = ratio;
    }
    modes[task] = kept;
  }
  return best;
}

}  // namespace

Choice choose_descent(Candidates& candidates) {
  Choice choice = choose_local(candidates);
  std::vector<bool> fixed(candidates.size(), false);
  std::vector<double> told(candidates.size(), kNever);
  while (!choice.schedulable) {
    const ModeStep best = best_change(candidates, choice.modes, fixed, choice.ratio, told);
    if (best.ratio >= choice.ratio) break;
    fixed[best.task] = true;
    take(choice, best);
  }
  return choice;
}

}  // namespace samcl::analysis
