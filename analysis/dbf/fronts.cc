#include "analysis/dbf/fronts.h"

#include <algorithm>

namespace samcl::analysis::dbf {

Fronts::Fronts(const DoubledGraph& graph) : graph_(graph) {
  for (const Row& row : graph.rows) {
    Staircase front;
    if (row.may_begin) front.push_back({0, row.execution});
    for (const Predecessor& before : row.predecessors)
      front = larger_of(front, fronts_[before.row], before.separation, row.execution);
    fronts_.push_back(std::move(front));
  }
  without_source_ = over(0, graph.source);
  with_source_ = over(graph.source, graph.rows.size());
}

Staircase Fronts::over(size_t begin, size_t end) const {
  Staircase steps;
  for (size_t n = begin; n < end; ++n) steps = larger_of(steps, fronts_[n], graph_.rows[n].deadline, 0);
  return steps;
}

std::vector<Fronts::Trigger> Fronts::heaviest(size_t begin, size_t end, Time t) const {
  size_t row = end;
  Time demand = 0;
  for (size_t n = begin; n < end; ++n) {
    const Time found = value_at(fronts_[n], t - graph_.rows[n].deadline);
    if (found <= demand) continue;
    row = n;
    demand = found;
  }
  if (row == end) return {};
  const auto step_of = [&](size_t n, Time wanted) {
    return std::lower_bound(fronts_[n].begin(), fronts_[n].end(), wanted,
                            [](const Step& step, Time value) { return step.demand < value; });
  };
  // Backwards: a path that is left was made of one that is left.
  Step last = *step_of(row, demand);
  std::vector<Trigger> path = {{row, last.at}};
  while (last.at > 0 || last.demand > graph_.rows[row].execution) {
    const Row& after = graph_.rows[row];
    const size_t rows = path.size();
    for (const Predecessor& before : after.predecessors) {
      const Step wanted{last.at - before.separation, last.demand - after.execution};
      const auto step = step_of(before.row, wanted.demand);
      if (step == fronts_[before.row].end() || *step != wanted) continue;
      row = before.row;
      last = wanted;
      path.push_back({row, last.at});
      break;
    }
    if (path.size() == rows) return {};  // unreachable: every step but a begin has its predecessor's
  }
  std::reverse(path.begin(), path.end());
  return path;
}

size_t Fronts::paths() const {
  size_t sum = 0;
  for (const Staircase& front : fronts_) sum += front.size();
  return sum;
}

}  // namespace samcl::analysis::dbf
