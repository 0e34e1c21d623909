#include "analysis/locking/experiment/elliott.h"

#include <numeric>

#include "analysis/generator/draw.h"
#include "analysis/locking/experiment/draw_set.h"

namespace samcl::analysis::locking {

ElliottExperiment::ElliottExperiment() : scenarios(kScenarios) {
  std::iota(scenarios.begin(), scenarios.end(), size_t{0});
}

std::string ElliottExperiment::heading() const {
  std::string text = "sam-analyze elliott " + std::string(name(bound)) + " sets " + std::to_string(sets) + " seed " +
                     std::to_string(seed);
  if (points() == kScenarios) return text;
  text += " scenarios";
  for (const size_t index : scenarios) text += " " + std::to_string(index);
  return text;
}

Counts ElliottExperiment::count(int64_t block) const {
  const size_t index = scenarios[point_of(block)];
  const Scenario where = scenario(index);
  const int64_t first = block / static_cast<int64_t>(points()) * kElliottBlockSets;
  const int64_t end = std::min(sets, first + kElliottBlockSets);
  const uint64_t scenario_seed = seed_of(seed, index);
  Histogram histogram;
  QuickSet set;
  for (int64_t n = first; n < end; ++n)
    if (draw_set(where, seed_of(scenario_seed, static_cast<uint64_t>(n)), set))
      histogram.add(set, quick_test(set, where.cpu_count(), bound));
  return histogram.counts();
}

}  // namespace samcl::analysis::locking
