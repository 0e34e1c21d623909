// Counting schedulable sets: a figure's points in blocks of sets, each block on any thread, so that an
// experiment can be interrupted and taken up again. The counts do not depend on threads or interruptions.
#pragma once

#include <atomic>
#include <functional>

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
  void add(const Tally& other);
};

struct Experiment {
  Figure figure;
  int64_t sets = 1000;  // at each point
  uint64_t seed = 1;
  int threads = 1;

  int64_t blocks_per_point() const { return (sets + kBlockSets - 1) / kBlockSets; }
  int64_t blocks() const { return blocks_per_point() * static_cast<int64_t>(figure.points.size()); }
  size_t point_of(int64_t block) const { return static_cast<size_t>(block / blocks_per_point()); }
};

// One block, 0..blocks() - 1.
Tally tally_block(const Experiment& experiment, int64_t block);

// All blocks for which `known` is false; `done` is called once for each, by one thread at a time. Ends early
// when `stop` becomes true: no further block is begun.
void tally_blocks(const Experiment& experiment, const std::vector<bool>& known,
                  const std::function<void(int64_t block, const Tally&)>& done,
                  const std::atomic<bool>& stop);

}  // namespace samcl::analysis
