// Counting schedulable sets: a figure's chains of sets, in blocks.
#pragma once

#include "analysis/experiment/blocks.h"
#include "analysis/experiment/figure.h"

namespace samcl::analysis {

inline constexpr int64_t kBlockChains = 4;

struct Tally {
  int64_t sets = 0;
  int64_t tasks = 0;                 // of all sets
  std::vector<int64_t> schedulable;  // by policy, in the figure's order
  std::vector<int64_t> nanoseconds;  // likewise, CPU time spent choosing; not reproducible

  explicit Tally(size_t policies = 0) : schedulable(policies, 0), nanoseconds(policies, 0) {}
  void add(const Tally& other);
};

// Of one P_D: a tally for each reading and target.
class Tallies {
 public:
  explicit Tallies(const Figure& figure);
  Tallies(const Figure& figure, const Counts& counts);
  Counts counts() const;

  Tally& of(Reading reading, size_t target);
  const Tally& of(Reading reading, size_t target) const { return const_cast<Tallies*>(this)->of(reading, target); }
  // The set of U_G `own` counts from the first target on that its predecessor's, `before`, does not exceed,
  // and in its own class.
  void add(const Figure& figure, double before, double own, const Tally& set);

 private:
  std::vector<Tally> tallies_;  // [reading][target]
};

class FigureExperiment final : public BlockExperiment {
 public:
  // As many chains as have `sets` sets, at least one, for each P_D.
  explicit FigureExperiment(Figure what, int64_t sets = 1000, uint64_t seed = 1);

  const Figure figure;
  const int64_t sets;
  const uint64_t seed;

  std::string heading() const override;
  int64_t blocks() const override { return first_block_.back(); }
  size_t points() const override { return figure.dependencies.size(); }
  size_t point_of(int64_t block) const override;
  size_t width() const override { return Tallies(figure).counts().size(); }
  Counts count(int64_t block) const override;

 private:
  std::vector<int64_t> chains_;       // of each P_D
  std::vector<int64_t> first_block_;  // of each P_D, and behind the last
};

}  // namespace samcl::analysis
