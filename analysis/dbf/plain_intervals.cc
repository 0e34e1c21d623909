#include <algorithm>

#include "analysis/dbf/intervals.h"

namespace samcl::analysis::dbf {

Result<size_t> table_columns(const DoubledGraph& graph) {
  constexpr Time kMostBytes = Time{1} << 32;
  const Time columns = graph.greatest / graph.execution_unit + 1;
  const auto rows = static_cast<Time>(graph.rows.size());
  if (columns <= kMostBytes / (rows * Time{sizeof(Time)})) return static_cast<size_t>(columns);
  return fail("a table of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
              " columns is too large, expected at most 4 GiB: the executions' largest common unit is " +
              std::to_string(graph.execution_unit) + " ns");
}

ShortestIntervals plain_intervals(const DoubledGraph& graph) {
  const auto columns = static_cast<size_t>(graph.greatest / graph.execution_unit + 1);
  std::vector<std::vector<Time>> ending_at;  // t^i_{i,e}
  ShortestIntervals shortest{graph.execution_unit, std::vector<Time>(columns, kNever),
                             std::vector<Time>(columns, kNever)};
  for (size_t i = 0; i < graph.rows.size(); ++i) {
    const Row& row = graph.rows[i];
    std::vector<Time>& own = ending_at.emplace_back(columns, kNever);
    std::vector<Time>& best = i < graph.source ? shortest.without_source : shortest.with_source;
    const auto own_columns = static_cast<size_t>(row.execution / graph.execution_unit);
    for (size_t e = own_columns; e < columns; ++e) {
      if (e == own_columns && row.may_begin) own[e] = row.deadline;
      for (const Predecessor& before : row.predecessors) {
        const Time known = ending_at[before.row][e - own_columns];
        if (known == kNever) continue;
        own[e] = std::min(own[e], known - graph.rows[before.row].deadline + before.separation + row.deadline);
      }
      best[e] = std::min(best[e], own[e]);
    }
  }
  return shortest;
}

Staircase staircase_of(const std::vector<Time>& shortest, Time unit) {
  Staircase steps;
  for (size_t c = shortest.size(); c-- > 1;)
    if (shortest[c] != kNever && (steps.empty() || shortest[c] < steps.back().at))
      steps.push_back({shortest[c], static_cast<Time>(c) * unit});
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace samcl::analysis::dbf
