// The default: polynomial, and close to optimal (README.md has the numbers).
//
//   1. Each task's fastest mode, descent from there (descent.cc), and mode 1 for all.
//   2. What bounds every choice from below says whether any can be schedulable at all.
//   3. Tasks are decided one by one, the most urgent first; of the partial choices the few with the least
//      bound on their lateness are followed (beam search: the bound looks ahead to all that is undecided).
//   4. Branch and bound, given up after a number of bounds that is linear in the number of tasks.
//   5. Local search from the best met, GPA's choice among them: any one task, then any two of which one is the latest,
//      as long as lateness falls.
//
// `optimal` goes on where that finds nothing and no proof that there is nothing: branch and bound to the end.
#include <algorithm>
#include <utility>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {
namespace {

enum class Found { modes, nothing, gave_up };

// Depth-first branch and bound over modes: tasks are decided from the most urgent down. A partial choice
// whose bound (every undecided task counts with its least, see kUndecided) is not schedulable is left, since
// none of its completions is. What is found is schedulable; if all branches are left, nothing is.
class Branches {
 public:
  // Gives up after so many bounds; 0: never.
  Branches(Candidates& candidates, int64_t most_bounds)
      : candidates_(candidates), most_bounds_(most_bounds), modes_(candidates.size(), kUndecided) {}

  Found explore() { return explore(0); }
  const Modes& modes() const { return modes_; }  // if found

 private:
  Found explore(size_t depth) {
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

  Candidates& candidates_;
  int64_t most_bounds_;
  int64_t bounds_ = 0;
  Modes modes_;
};

constexpr size_t kBeam = 4;
constexpr int64_t kBoundsPerTask = 50;

class Search {
 public:
  explicit Search(Candidates& candidates) : candidates_(candidates) {}

  void consider(const Modes& modes) {
    const Lateness lateness = candidates_.lateness(modes);
    if (!best_.empty() && !(lateness < lateness_)) return;
    best_ = modes;
    lateness_ = lateness;
  }
  bool found() const { return lateness_.late <= 0; }
  const Modes& best() const { return best_; }

  void decide_one_by_one() {
    struct Partial {
      Modes modes;
      Lateness least;
    };
    std::vector<Partial> followed = {{Modes(candidates_.size(), kUndecided), {}}};
    for (const size_t task : candidates_.order()) {
      std::vector<Partial> next;
      for (Partial& partial : followed)
        for (const int mode : candidates_.modes(task)) {
          partial.modes[task] = mode;
          next.push_back({partial.modes, candidates_.lateness(partial.modes)});
        }
      std::stable_sort(next.begin(), next.end(), [](const Partial& a, const Partial& b) { return a.least < b.least; });
      next.resize(std::min(next.size(), kBeam));
      followed = std::move(next);
      if (followed.front().least.late > 0 && followed.front().least.late >= lateness_.late) return;
    }
    for (const Partial& partial : followed) consider(partial.modes);
  }

  void improve() {
    size_t steps = 4 * candidates_.size();  // each at most quadratic
    while (!found() && steps-- > 0 && (change_one() || change_two())) {
    }
  }

 private:
  // The first change that is an improvement, of any one task.
  bool change_one() {
    for (const size_t task : candidates_.order())
      for (const int mode : candidates_.modes(task)) {
        Modes modes = best_;
        modes[task] = mode;
        const Lateness before = lateness_;
        if (mode != best_[task]) consider(modes);
        if (lateness_ < before) return true;
      }
    return false;
  }

  bool change_two() {
    const size_t latest = candidates_.latest(best_);
    for (const int own : candidates_.modes(latest))
      for (const size_t task : candidates_.order())
        for (const int mode : candidates_.modes(task)) {
          if (own == best_[latest] || task == latest || mode == best_[task]) continue;
          Modes modes = best_;
          modes[latest] = own;
          modes[task] = mode;
          const Lateness before = lateness_;
          consider(modes);
          if (lateness_ < before) return true;
        }
    return false;
  }

  Candidates& candidates_;
  Modes best_;
  Lateness lateness_;
};

}  // namespace

Choice choose_search(Candidates& candidates) {
  Choice local = choose_local(candidates);
  if (local.schedulable) return local;
  Choice choice = choose_descent(candidates);
  if (choice.schedulable) return choice;
  const auto impossible = [&] {
    choice.impossible = true;
    return choice;
  };
  const auto found = [&](const Modes& modes) { return candidates.choice(local.modes, modes); };
  if (candidates.ratio(Modes(candidates.size(), kUndecided), kLate) >= kLate) return impossible();

  Search search(candidates);
  search.consider(choice.modes);
  search.consider(Modes(candidates.size(), 1));
  if (!search.found()) search.decide_one_by_one();
  if (search.found()) return found(search.best());
  Branches branches(candidates, kBoundsPerTask * static_cast<int64_t>(candidates.size()));
  const Found explored = branches.explore();
  if (explored == Found::modes) return found(branches.modes());
  if (explored == Found::nothing) return impossible();
  search.consider(choose_gpa(candidates).modes);
  search.improve();
  return found(search.best());
}

Choice choose_optimal(Candidates& candidates) {
  Choice choice = choose_search(candidates);
  if (choice.schedulable || choice.impossible) return choice;
  Branches branches(candidates, 0);
  if (branches.explore() == Found::modes) {
    choice = candidates.choice(choice.start, branches.modes());
  } else {
    choice.impossible = true;
  }
  return choice;
}

}  // namespace samcl::analysis
