// Counting schedulable sets: a figure's points in blocks of sets.
#pragma once

#include "analysis/experiment/blocks.h"
#include "analysis/experiment/figure.h"

namespace samcl::analysis {

inline constexpr int64_t kBlockSets = 20;

struct Tally {
  int64_t sets = 0;
  int64_t tasks = 0;                 // of all sets
  std::vector<int64_t> schedulable;  // by policy, in the figure's order
  std::vector<int64_t> nanoseconds;  // likewise, spent choosing; not reproducible

  Tally() = default;
  explicit Tally(size_t policies) : schedulable(policies, 0), nanoseconds(policies, 0) {}
  // As counts: sets, tasks, schedulable, nanoseconds.
  explicit Tally(const Counts& counts);
  Counts counts() const;
  void add(const Tally& other);
};

struct FigureExperiment : BlockExperiment {
  FigureExperiment() = default;
  explicit FigureExperiment(Figure what, int64_t sets = 1000, uint64_t seed = 1)
      : figure(std::move(what)), sets(sets), seed(seed) {}

  Figure figure;
  int64_t sets = 1000;  // at each point
  uint64_t seed = 1;

  int64_t blocks_per_point() const { return (sets + kBlockSets - 1) / kBlockSets; }
  std::string heading() const override;
  int64_t blocks() const override { return blocks_per_point() * static_cast<int64_t>(points()); }
  size_t points() const override { return figure.points.size(); }
  size_t point_of(int64_t block) const override { return static_cast<size_t>(block / blocks_per_point()); }
  size_t width() const override { return Tally(figure.policies.size()).counts().size(); }
  Counts count(int64_t block) const override;
};

}  // namespace samcl::analysis
