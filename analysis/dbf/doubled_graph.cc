#include "analysis/dbf/doubled_graph.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis::dbf {
namespace {

// Adds the order's vertices as rows from `first` on, and the edges between them.
void add_copy(const TaskGraph& task, const std::vector<size_t>& order, DoubledGraph& graph) {
  const auto first = static_cast<uint32_t>(graph.rows.size());
  constexpr uint32_t kAbsent = UINT32_MAX;
  std::vector<uint32_t> row_of(task.vertices.size(), kAbsent);
  for (const size_t v : order) {
    row_of[v] = static_cast<uint32_t>(graph.rows.size());
    graph.rows.push_back({v, true, task.vertices[v].execution, task.vertices[v].deadline, {}});
  }
  for (const Edge& edge : task.edges)
    if (row_of[edge.from] != kAbsent && row_of[edge.to] != kAbsent)
      graph.rows[row_of[edge.to]].predecessors.push_back({row_of[edge.from], edge.separation});
  for (size_t n = first; n < graph.rows.size(); ++n)
    std::sort(graph.rows[n].predecessors.begin(), graph.rows[n].predecessors.end(),
              [](const Predecessor& a, const Predecessor& b) { return a.row < b.row; });
}

void measure(DoubledGraph& graph) {
  graph.execution_unit = graph.time_unit = 0;
  std::vector<Time> length(graph.rows.size(), 0), weight(graph.rows.size(), 0);
  for (size_t n = 0; n < graph.rows.size(); ++n) {
    const Row& row = graph.rows[n];
    for (const Predecessor& before : row.predecessors) {
      length[n] = std::max(length[n], length[before.row] + before.separation);
      weight[n] = std::max(weight[n], weight[before.row]);
      graph.time_unit = std::gcd(graph.time_unit, before.separation);
    }
    weight[n] += row.execution;
    graph.execution_unit = std::gcd(graph.execution_unit, row.execution);
    graph.time_unit = std::gcd(graph.time_unit, row.deadline);
  }
  graph.longest = *std::max_element(length.begin(), length.end());
  graph.greatest = *std::max_element(weight.begin(), weight.end());
}

}  // namespace

DoubledGraph double_graph(const TaskGraph& task) {
  const auto order = topological_order(task);
  DoubledGraph graph;
  add_copy(task, {order.begin() + 1, order.end()}, graph);
  graph.source = graph.rows.size();
  add_copy(task, order, graph);
  for (size_t n = graph.source + 1; n < graph.rows.size(); ++n) graph.rows[n].may_begin = false;
  if (graph.source > 0)
    graph.rows[graph.source].predecessors.push_back({static_cast<uint32_t>(graph.source - 1), restart_of(task)});
  measure(graph);
  return graph;
}

}  // namespace samcl::analysis::dbf
