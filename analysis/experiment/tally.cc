#include "analysis/experiment/tally.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>

#include "analysis/json/bounds_json.h"

namespace samcl::analysis {
namespace {

using Clock = std::chrono::steady_clock;

// The policies of one set. `optimal` begins with `search`: where that found modes, or the proof that there
// are none, nothing is left to do for it.
void tally_set(const Figure& figure, const TaskSet& set, Tally& tally) {
  ++tally.sets;
  tally.tasks += static_cast<int64_t>(set.tasks.size());
  Choice searched;
  int64_t search_time = 0;
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    const Policy policy = figure.policies[p];
    const auto start = Clock::now();
    const bool settled = policy == Policy::optimal && (searched.schedulable || searched.impossible);
    const Choice choice = settled ? searched : choose_modes(set, figure.form, policy);
    int64_t time = std::chrono::nanoseconds(Clock::now() - start).count();
    if (policy == Policy::search) {
      searched = choice;
      search_time = time;
    }
    if (settled) time = search_time;
    tally.schedulable[p] += choice.schedulable ? 1 : 0;
    tally.nanoseconds[p] += time;
  }
}

}  // namespace

Tally::Tally(const Counts& counts) : sets(counts[0]), tasks(counts[1]) {
  const auto policies = static_cast<std::ptrdiff_t>(counts.size() / 2 - 1);
  schedulable.assign(counts.begin() + 2, counts.begin() + 2 + policies);
  nanoseconds.assign(counts.begin() + 2 + policies, counts.end());
}

Counts Tally::counts() const {
  Counts all = {sets, tasks};
  all.insert(all.end(), schedulable.begin(), schedulable.end());
  all.insert(all.end(), nanoseconds.begin(), nanoseconds.end());
  return all;
}

void Tally::add(const Tally& other) {
  Counts sum = counts();
  analysis::add(sum, other.counts());
  *this = Tally(sum);
}

std::string FigureExperiment::heading() const {
  std::ostringstream text;
  text << std::setprecision(17) << "sam-analyze " << figure.name << " " << name(figure.form) << " sets "
       << sets << " seed " << seed << " P_D " << figure.sets.dependency << " U_G "
       << figure.sets.gpu_utilisation << " share " << figure.sets.most_share << " classes "
       << figure.sets.classes;
  return text.str();
}

Counts FigureExperiment::count(int64_t block) const {
  const size_t point = point_of(block);
  const int64_t first = block % blocks_per_point() * kBlockSets;
  const int64_t end = std::min(sets, first + kBlockSets);
  Tally tally(figure.policies.size());
  for (int64_t n = first; n < end; ++n)
    tally_set(figure, task_set_at(figure, point, seed, static_cast<uint64_t>(n)), tally);
  return tally.counts();
}

}  // namespace samcl::analysis
