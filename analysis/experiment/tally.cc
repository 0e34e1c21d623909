#include "analysis/experiment/tally.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "analysis/experiment/cpu_time.h"
#include "analysis/json/bounds_json.h"

namespace samcl::analysis {
namespace {

// The policies of one set. `optimal` begins with `search`: where that found modes, or the proof that there
// are none, nothing is left to do for it.
Tally tally_set(const Figure& figure, const TaskSet& set) {
  Tally tally(figure.policies.size());
  tally.sets = 1;
  tally.tasks = static_cast<int64_t>(set.tasks.size());
  Choice searched;
  int64_t search_time = 0;
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    const ModePolicy policy = figure.policies[p];
    const int64_t start = cpu_time();
    const bool settled = policy == ModePolicy::optimal && (searched.schedulable || searched.impossible);
    const Choice choice = settled ? searched : choose_modes(set, figure.form, policy);
    int64_t time = cpu_time() - start;
    if (policy == ModePolicy::search) {
      searched = choice;
      search_time = time;
    }
    if (settled) time = search_time;
    tally.schedulable[p] = choice.schedulable ? 1 : 0;
    tally.nanoseconds[p] = time;
  }
  return tally;
}

// The published forms only grow with another task, so none of a set's successors is schedulable either.
bool hopeless(const Figure& figure, const Tally& set) {
  return figure.form != Form::safe && set.schedulable.back() == 0;
}

void count_chain(const Figure& figure, const TaskSet& chain, Tallies& tallies) {
  TaskSet set;
  set.platform = chain.platform;
  double before = 0, own = 0;
  bool hope = true;
  for (const Task& task : chain.tasks) {
    set.tasks.push_back(task);
    own += gpu_utilisation(task);
    if (set.tasks.size() < figure.sets.least_tasks) continue;
    Tally tally(figure.policies.size());
    if (hope) {
      tally = tally_set(figure, set);
      hope = !hopeless(figure, tally);
    } else {
      tally.sets = 1;
      tally.tasks = static_cast<int64_t>(set.tasks.size());
    }
    tallies.add(figure, set.tasks.size() == figure.sets.least_tasks ? 0 : before, own, tally);
    before = own;
  }
}

}  // namespace

void Tally::add(const Tally& other) {
  sets += other.sets;
  tasks += other.tasks;
  analysis::add(schedulable, other.schedulable);
  analysis::add(nanoseconds, other.nanoseconds);
}

Tallies::Tallies(const Figure& figure)
    : tallies_(kReadings.size() * figure.targets.size(), Tally(figure.policies.size())) {}

Tallies::Tallies(const Figure& figure, const Counts& counts) : Tallies(figure) {
  auto next = counts.begin();
  for (Tally& tally : tallies_) {
    tally.sets = *next++;
    tally.tasks = *next++;
    for (int64_t& count : tally.schedulable) count = *next++;
    for (int64_t& time : tally.nanoseconds) time = *next++;
  }
}

Counts Tallies::counts() const {
  Counts all;
  for (const Tally& tally : tallies_) {
    all.insert(all.end(), {tally.sets, tally.tasks});
    all.insert(all.end(), tally.schedulable.begin(), tally.schedulable.end());
    all.insert(all.end(), tally.nanoseconds.begin(), tally.nanoseconds.end());
  }
  return all;
}

Tally& Tallies::of(Reading reading, size_t target) {
  return tallies_[static_cast<size_t>(reading) * tallies_.size() / kReadings.size() + target];
}

void Tallies::add(const Figure& figure, double before, double own, const Tally& set) {
  for (size_t n = 0; n < figure.targets.size(); ++n) {
    const double target = figure.targets[n];
    if (before <= target) of(Reading::chain, n).add(set);
    if (target - kTargetStep < own && own <= target) of(Reading::set_class, n).add(set);
  }
}

FigureExperiment::FigureExperiment(Figure what, int64_t sets, uint64_t seed)
    : figure(std::move(what)), sets(sets), seed(seed), first_block_{0} {
  for (size_t point = 0; point < points(); ++point) {
    int64_t chains = 0;
    for (int64_t drawn = 0; drawn < sets; ++chains)
      drawn += static_cast<int64_t>(chain_at(figure, point, seed, static_cast<uint64_t>(chains)).tasks.size() -
                                    figure.sets.least_tasks + 1);
    chains_.push_back(chains);
    first_block_.push_back(first_block_.back() + (chains + kBlockChains - 1) / kBlockChains);
  }
}

std::string FigureExperiment::heading() const {
  std::ostringstream text;
  text << std::setprecision(17) << "sam-analyze " << figure.name << " " << name(figure.form) << " sets " << sets
       << " seed " << seed << " P_D " << figure.sets.dependency << " U_G " << figure.targets.back() << " share "
       << figure.sets.most_share << " classes " << figure.sets.classes << " split "
       << static_cast<int>(figure.sets.split);
  return text.str();
}

size_t FigureExperiment::point_of(int64_t block) const {
  return static_cast<size_t>(std::upper_bound(first_block_.begin(), first_block_.end(), block) - first_block_.begin()) -
         1;
}

Counts FigureExperiment::count(int64_t block) const {
  const size_t point = point_of(block);
  const int64_t first = (block - first_block_[point]) * kBlockChains;
  const int64_t end = std::min(chains_[point], first + kBlockChains);
  Tallies tallies(figure);
  for (int64_t n = first; n < end; ++n)
    count_chain(figure, chain_at(figure, point, seed, static_cast<uint64_t>(n)), tallies);
  return tallies.counts();
}

}  // namespace samcl::analysis
