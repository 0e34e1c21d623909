// The dynamic program without columns for demands: of each row, only the paths that no other path beats.
// A path beats another that ends with the same row if it demands as much or more within the same time or
// less: whatever may follow one may follow the other, so the beaten one never matters to a demand bound
// (Stigge, Ekberg, Guan & Yi, "The digraph real-time task model", RTAS 2011, do so for their model). The work
// depends on how many paths are left, not on how long executions are in nanoseconds.
#pragma once

#include <optional>
#include <vector>

#include "analysis/dbf/doubled_graph.h"
#include "analysis/dbf/staircase.h"

namespace samcl::analysis::dbf {

class Fronts {
 public:
  // Keeps a reference to the graph.
  explicit Fronts(const DoubledGraph& graph);

  // The most that walks demand in an interval, of those that do not and those that do trigger the source.
  const Staircase& without_source() const { return without_source_; }
  const Staircase& with_source() const { return with_source_; }

  // A path that demands the most within t: its rows in order, and when each is triggered, from 0 on. Nothing
  // if no path fits.
  struct Trigger {
    size_t row = 0;
    Time at = 0;
  };
  std::vector<Trigger> heaviest_without_source(Time t) const { return heaviest(0, graph_.source, t); }
  std::vector<Trigger> heaviest_with_source(Time t) const { return heaviest(graph_.source, graph_.rows.size(), t); }

  size_t paths() const;  // that are left, in all rows

 private:
  Staircase over(size_t begin, size_t end) const;
  std::vector<Trigger> heaviest(size_t begin, size_t end, Time t) const;

  const DoubledGraph& graph_;
  std::vector<Staircase> fronts_;  // by row; Step::at: from the path's first trigger to its last
  Staircase without_source_, with_source_;
};

}  // namespace samcl::analysis::dbf
