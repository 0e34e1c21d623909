// sam-analyze experiment gap: how much room there is between bounds and simulations.
//
// How far bounds are from what simulation cannot disprove: of GPU-SAM's random sets at some U_G, those that the safe
// form makes schedulable, those that rta/together.h does, those that rta/exact.h finds to be, and those in which no
// deadline was seen missed.
#include <algorithm>
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/experiment/figure.h"
#include "analysis/generator/draw.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/model/capacity.h"
#include "analysis/model/number_text.h"
#include "analysis/modes/choice.h"
#include "analysis/rta/exact.h"
#include "analysis/rta/together.h"
#include "analysis/sim/longest.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::gap_command {
namespace {

struct GapOptions {
  int64_t sets = 40;  // at each U_G
  uint64_t seed = 1;
  double most_share = 1;   // of its period that a task executes
  int plans = 24000;       // simulated for each choice of modes, a third at random and the others changed step by step
  double utilisation = 0;  // U_G is above this, and by no more than kTargetStep
};

struct Gap {
  int64_t sets = 0, tasks = 0;
  int64_t safe = 0;      // schedulable in some modes
  int64_t together = 0;  // likewise, or safe
  int64_t exact = 0;     // likewise, or together
  int64_t possible = 0;  // in some modes no deadline was missed in any plan, nor exactly; or exact
};

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

// Modes: what policies choose, and for sets of at most four tasks all there are. Exact: sets of two tasks.
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

int run(GapOptions options) {
  std::vector<std::vector<std::string>> rows = {
      {"U_G ABOVE", "TASKS", "SAFE, %", "TOGETHER, %", "EXACT, %", "NOT DISPROVED, %"}};
  for (const double utilisation : {0.4, 0.8, 1.2}) {
    options.utilisation = utilisation;
    const Gap gap = find_gap(options);
    rows.push_back({decimal(utilisation, 1)});
    for (const int64_t count : {gap.tasks, 100 * gap.safe, 100 * gap.together, 100 * gap.exact, 100 * gap.possible})
      rows.back().push_back(decimal(static_cast<double>(count) / static_cast<double>(gap.sets), 1));
  }
  std::cout << "GPU-SAM's task sets that are schedulable in some modes, " << options.sets << " at each U_G, seed "
            << options.seed << "\n\n"
            << table(rows);
  return kGood;
}

}  // namespace

Run add(CLI::App& experiment) {
  auto options = std::make_shared<GapOptions>();
  CLI::App* gap = experiment.add_subcommand("gap", "bounds beside what simulation cannot disprove");
  gap->add_option("--sets", options->sets, "at each U_G (40)")->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  gap->add_option("--seed", options->seed, "another seed, other sets (1)");
  gap->add_option("--plans", options->plans, "simulated for each choice of modes (24000)")
      ->check(CLI::Range(1, 1'000'000));
  gap->add_option("--share", options->most_share, "of its period that a task executes at most (1)")
      ->check(CLI::Range(0.06, 1.0));
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::gap_command
