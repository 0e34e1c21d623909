#include "analysis/experiment/gap.h"

#include <algorithm>

#include "analysis/experiment/figure.h"
#include "analysis/generator/draw.h"
#include "analysis/model/capacity.h"
#include "analysis/modes/choice.h"
#include "analysis/rta/exact.h"
#include "analysis/rta/together.h"
#include "analysis/sim/longest.h"

namespace samcl::analysis {
namespace {

constexpr size_t kFewTasks = 4;
constexpr size_t kExactTasks = 2;
constexpr int64_t kMostStates = 1'000'000;
constexpr int kJobs = 3;  // of the slowest task, in a plan

// All modes of all tasks, one task's after the other's.
std::vector<Modes> every_choice(const TaskSet& set) {
  std::vector<Modes> all;
  Modes modes(set.tasks.size(), 1);
  while (true) {
    all.push_back(modes);
    size_t task = 0;
    for (; task < modes.size() && modes[task] == set.platform.gpus; ++task) modes[task] = 1;
    if (task == modes.size()) return all;
    ++modes[task];
  }
}

std::vector<Modes> choices(const TaskSet& set, const Modes& searched) {
  std::vector<Modes> all = {searched, Modes(set.tasks.size(), 1),
                            choose_modes(set, Form::safe, ModePolicy::local).modes,
                            choose_modes(set, Form::gpu_sam).modes};
  if (set.tasks.size() > kFewTasks) return all;
  const auto every = every_choice(set);
  all.insert(all.end(), every.begin(), every.end());
  return all;
}

bool misses(const TaskSet& set, const Modes& modes, int plans, Random& random) {
  const PriorityOrder order = priority_order(set);
  const int random_ones = std::max(1, plans / 3);
  return find_longest(set, order, modes, order, {random_ones, kJobs, plans - random_ones}, random, true).late(set);
}

// What is known of a choice of modes that no bound makes schedulable.
enum class Verdict { schedulable, open, missed };

Verdict verdict(const TaskSet& set, const Modes& modes, int plans, Random& random) {
  if (!check_capacity(set, modes) || misses(set, modes, plans, random)) return Verdict::missed;
  if (set.tasks.size() > kExactTasks || !check_exact(set, modes)) return Verdict::open;
  const Exact exact = analyse_exact(set, modes, kMostStates);
  if (!exact.finished) return Verdict::open;
  return exact.schedulable ? Verdict::schedulable : Verdict::missed;
}

}  // namespace

Gap find_gap(const GapOptions& options) {
  PaperSet wanted;
  wanted.classes = true;
  wanted.most_share = options.most_share;
  wanted.gpu_utilisation = options.utilisation;
  Gap gap;
  for (uint64_t n = 0; gap.sets < options.sets; ++n) {
    const TaskSet set = paper_set(wanted, seed_of(options.seed, n));
    double own = 0;
    for (const Task& task : set.tasks) own += gpu_utilisation(task);
    if (own > options.utilisation + kTargetStep) continue;
    ++gap.sets;
    gap.tasks += static_cast<int64_t>(set.tasks.size());
    const Choice searched = choose_modes(set, Form::safe);
    const auto modes = choices(set, searched.modes);
    const bool together = searched.schedulable || std::any_of(modes.begin(), modes.end(), [&](const Modes& choice) {
                            return analyse_together(set, choice).schedulable;
                          });
    Random random(seed_of(options.seed, n) + 1);
    Verdict best = together ? Verdict::schedulable : Verdict::missed;
    for (size_t choice = 0; choice < modes.size() && best != Verdict::schedulable; ++choice)
      best = std::min(best, verdict(set, modes[choice], options.plans, random));
    gap.safe += searched.schedulable ? 1 : 0;
    gap.together += together ? 1 : 0;
    gap.exact += best == Verdict::schedulable ? 1 : 0;
    gap.possible += best != Verdict::missed ? 1 : 0;
  }
  return gap;
}

}  // namespace samcl::analysis
