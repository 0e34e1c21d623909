#include "analysis/locking/experiment/elliott.h"

#include "analysis/generator/draw.h"
#include "analysis/locking/experiment/draw_set.h"

namespace samcl::analysis::locking {

std::string ElliottExperiment::heading() const {
  return "sam-analyze elliott " + std::string(name(bound)) + " sets " + std::to_string(sets) + " seed " +
         std::to_string(seed);
}

Counts ElliottExperiment::count(int64_t block) const {
  const size_t point = point_of(block);
  const Scenario where = scenario(point);
  const int64_t first = block / static_cast<int64_t>(kScenarios) * kElliottBlockSets;
  const int64_t end = std::min(sets, first + kElliottBlockSets);
  const uint64_t scenario_seed = seed_of(seed, point);
  Histogram histogram;
  QuickSet set;
  for (int64_t n = first; n < end; ++n) {
    draw_set(where, seed_of(scenario_seed, static_cast<uint64_t>(n)), set);
    histogram.add(set, where.cpu_count(), quick_test(set, where.cpu_count(), bound));
  }
  return histogram.counts();
}

}  // namespace samcl::analysis::locking
