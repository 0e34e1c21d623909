#include "analysis/dbf/random_graph.h"

#include <algorithm>

namespace samcl::analysis::dbf {
namespace {

Time scaled(Time time, double factor) {
  return std::max<Time>(1, static_cast<Time>(static_cast<double>(time) * factor));
}

// Pairs (u, v) with u < v: so that every vertex is behind the first and before the last.
std::vector<std::pair<size_t, size_t>> random_pairs(const RandomGraph& wanted, Draw& draw) {
  const size_t n = wanted.vertices;
  std::vector<std::vector<bool>> joined(n, std::vector<bool>(n, false));
  for (size_t u = 0; u < n; ++u)
    for (size_t v = u + 1; v < n; ++v) joined[u][v] = draw.chance(wanted.density);
  const auto any = [&](size_t low, size_t high) {
    return static_cast<size_t>(draw.whole(static_cast<int64_t>(low), static_cast<int64_t>(high)));
  };
  for (size_t v = 1; v < n; ++v) {
    bool found = false;
    for (size_t u = 0; u < v; ++u) found = found || joined[u][v];
    if (!found) joined[any(0, v - 1)][v] = true;
  }
  for (size_t u = 0; u + 1 < n; ++u)
    if (std::find(joined[u].begin(), joined[u].end(), true) == joined[u].end()) joined[u][any(u + 1, n - 1)] = true;
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t u = 0; u < n; ++u)
    for (size_t v = u + 1; v < n; ++v)
      if (joined[u][v]) pairs.emplace_back(u, v);
  return pairs;
}

}  // namespace

TaskGraph random_graph(const RandomGraph& wanted, uint64_t seed) {
  Draw draw(seed);
  TaskGraph task;
  task.name = "random " + std::to_string(seed);
  for (size_t v = 0; v < wanted.vertices; ++v) {
    const Time execution = draw.whole(1, wanted.most_execution);
    const Time deadline = scaled(execution, draw.between(1, wanted.most_slack));
    task.vertices.push_back({"v" + std::to_string(v + 1), execution, deadline});
  }
  std::vector<Time> lengths(wanted.vertices, 0);
  for (const auto& [u, v] : random_pairs(wanted, draw)) {
    const Time deadline = task.vertices[u].deadline;
    const Time least = wanted.overlapping ? std::max<Time>(0, deadline - task.vertices[v].deadline) : deadline;
    task.edges.push_back({u, v, draw.whole(least, scaled(deadline, wanted.most_separation))});
    lengths[v] = std::max(lengths[v], lengths[u] + task.edges.back().separation);
  }
  const Time last = task.vertices.back().deadline;
  if (wanted.overlapping) task.restart = draw.whole(std::max<Time>(0, last - task.vertices.front().deadline), 2 * last);
  const Time least = lengths.back() + std::max(last, restart_of(task));
  const Time by_load = scaled(heaviest_path(task).execution, 1 / wanted.most_load);
  task.period = std::max(draw.whole(least, scaled(least, wanted.most_period)), by_load);
  return task;
}

}  // namespace samcl::analysis::dbf
