// The experiment "elliott": random task sets of some of the 810 scenarios, judged by the Shared Resource
// Method and the Container Method.
#pragma once

#include "analysis/experiment/blocks.h"
#include "analysis/locking/experiment/histogram.h"

namespace samcl::analysis::locking {

inline constexpr int64_t kElliottBlockSets = int64_t{1} << 18;

struct ElliottExperiment : BlockExperiment {
  int64_t sets = 20000;  // drawn of each scenario; the paper: 5,000,000
  uint64_t seed = 1;
  TardinessBound bound = TardinessBound::least;
  std::vector<size_t> scenarios;  // a point each

  ElliottExperiment();  // all scenarios

  std::string heading() const override;
  int64_t blocks() const override { return blocks_per_scenario() * static_cast<int64_t>(points()); }
  size_t points() const override { return scenarios.size(); }
  // Block after block of different scenarios: they take different times.
  size_t point_of(int64_t block) const override { return static_cast<size_t>(block) % points(); }
  size_t width() const override { return Histogram().counts().size(); }
  Counts count(int64_t block) const override;

 private:
  int64_t blocks_per_scenario() const { return (sets + kElliottBlockSets - 1) / kElliottBlockSets; }
};

}  // namespace samcl::analysis::locking
