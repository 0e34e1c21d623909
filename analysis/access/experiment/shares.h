// Which share of random task sets (draw_set.h) each way of sharing the GPU makes schedulable, over the CPUs'
// utilisation, all by the same sets: the ways of access.h, waiting for the GPU without the CPU (suspend) or
// with it (busy), preemption also with the GPU priorities that gpu_priorities.h finds; partitions of 16 parts
// (partition.h), a segment on k of them taking 16 / k times as long (ceiled); locks on such parts (the SMLP,
// ../locking/smlp.h), soft; and samcl's own: GPU segments in slices of 1 ms by priority, tasks free to run on any CPU
// (rta/response_time.h, bound device).
//
// Costs: the paper's, 1 ms for an update by preemption and none for locks; the server the 50 us of its own
// paper; slices of 1 ms in turns, and 200 us to switch.
#pragma once

#include "analysis/access/experiment/draw_set.h"
#include "analysis/experiment/blocks.h"
#include "analysis/experiment/chart.h"

namespace samcl::analysis::access {

// In the order of the columns.
std::vector<std::string> way_names();
// One verdict for each of them.
std::vector<bool> verdicts(const analysis::TaskSet& set);

class Shares : public BlockExperiment {
 public:
  Shares(int64_t sets, uint64_t seed) : sets_(sets), seed_(seed) {}

  static std::vector<double> utilisations();  // of each CPU: the points

  std::string heading() const override;
  int64_t blocks() const override;
  size_t points() const override { return utilisations().size(); }
  size_t point_of(int64_t block) const override;
  size_t width() const override { return 1 + way_names().size(); }  // sets, and schedulable ones
  Counts count(int64_t block) const override;

 private:
  int64_t sets_;  // of each point
  uint64_t seed_;
};

std::string format_csv(const std::vector<Counts>& counts);
Chart chart(const std::vector<Counts>& counts);

}  // namespace samcl::analysis::access
