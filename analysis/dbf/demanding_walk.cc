#include "analysis/dbf/demanding_walk.h"

#include <algorithm>

namespace samcl::analysis::dbf {
namespace {

Time separation(const TaskGraph& task, size_t from, size_t to) {
  const auto edge = std::find_if(task.edges.begin(), task.edges.end(),
                                 [&](const Edge& known) { return known.from == from && known.to == to; });
  return edge->separation;
}

// The heaviest path, as early as it can be after its first trigger.
std::vector<Triggered> instance(const TaskGraph& task, const std::vector<size_t>& vertices, Time begin) {
  std::vector<Triggered> path;
  for (const size_t v : vertices) {
    if (!path.empty()) begin += separation(task, path.back().vertex, v);
    path.push_back({v, begin});
  }
  return path;
}

}  // namespace

Walk demanding_walk(const TaskGraph& task, const DoubledGraph& graph, const Fronts& fronts, Time t) {
  const HeaviestPath heaviest = heaviest_path(task);
  Walk best;
  const auto demand_of = [&](const std::vector<Fronts::Trigger>& path) {
    Time demand = 0;
    for (const auto& trigger : path) demand += graph.rows[trigger.row].execution;
    return demand;
  };
  const auto consider = [&](const std::vector<Fronts::Trigger>& path, int64_t repetitions) {
    Time demand = 0;
    if (__builtin_mul_overflow(repetitions, heaviest.execution, &demand) || demand > kMostDemand) demand = kMostDemand;
    demand = std::min(kMostDemand, demand + demand_of(path));
    if (demand <= best.demand) return;
    best = Walk();
    best.demand = demand;
    best.repetitions = repetitions;
    for (const auto& [row, at] : path) {
      const bool in_head = row >= graph.source;
      if (row == graph.source && repetitions > 0) best.repeated = instance(task, heaviest.vertices, at);
      (in_head ? best.head : best.tail)
          .push_back({graph.rows[row].vertex, at + (in_head ? repetitions * task.period : 0)});
    }
  };
  consider(fronts.heaviest_without_source(t), 0);
  const Time periods = t / task.period;
  for (Time k = std::max<Time>(0, periods - 1); k <= periods; ++k) {
    const auto path = fronts.heaviest_with_source(t - k * task.period);
    if (!path.empty()) consider(path, k);
  }
  return best;
}

}  // namespace samcl::analysis::dbf
