// Algorithm 1 of Nunna, Bordoloi, Chakraborty, Eles & Peng, "Exploiting GPU on-chip shared memory for
// accelerating schedulability analysis", ISED 2010, as far as its text is known to us. For the i-th row of
// the doubled graph and a demand e:
//
//   t^i_{i,e}  the shortest interval in which all jobs of a path that ends with row i are triggered and have
//              their deadlines, where the path's executions add up to exactly e
//   t_{i,e}    the least t^h_{h,e} of the rows h <= i (and of those before the source's, apart: the demand
//              bound needs walks with and without a source apart)
//
//   t^i_{i,e} = min over predecessors h of i:  t^h_{h,e-e(i)} - d(h) + p(h,i) + d(i),   d(i) if e = e(i) and
//   the path may begin at i
//
// Three implementations compute the same numbers: the plain one below, the fast one below, and one for OpenCL
// devices (benchmarks/programs/DemandBound.cl). Demands are columns of a table, so that time and memory grow
// with the executions (in their largest common unit); fronts.h has another way, which does not.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dbf/doubled_graph.h"
#include "analysis/dbf/staircase.h"

namespace samcl::analysis::dbf {

inline constexpr Time kNever = INT64_MAX;

// For all rows together: [c] for the demand c * unit; kNever if no path demands exactly that.
struct ShortestIntervals {
  Time unit = 1;
  std::vector<Time> without_source;
  std::vector<Time> with_source;
  bool operator==(const ShortestIntervals&) const = default;
};

// As many columns as the table has; an error if it would need more than 4 GiB.
Result<size_t> table_columns(const DoubledGraph& graph);

// The recurrence as it stands; graphs with table_columns() only.
ShortestIntervals plain_intervals(const DoubledGraph& graph);

// Only demands that are reachable, in tiles that fit into the cache, with vector instructions, each row of a
// tile by all threads together; graphs with table_columns() only. Up to so many threads, at least 1.
ShortestIntervals fast_intervals(const DoubledGraph& graph, int threads);

// The most that is demanded in an interval, from the shortest intervals with a demand.
Staircase staircase_of(const std::vector<Time>& shortest, Time unit);

}  // namespace samcl::analysis::dbf
