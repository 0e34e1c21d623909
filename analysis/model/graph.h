// Directed graphs as lists of edges, from one vertex to another by their numbers.
#pragma once

#include <algorithm>
#include <vector>

namespace samcl::analysis {

// Each vertex after its predecessors (Kahn's algorithm); on a cycle and behind it, vertices are left out.
template <typename Edge>
std::vector<size_t> topological_order(size_t vertices, const std::vector<Edge>& edges) {
  std::vector<size_t> waits_for(vertices, 0), order;
  std::vector<std::vector<size_t>> after(vertices);
  for (const Edge& edge : edges) {
    ++waits_for[edge.to];
    after[edge.from].push_back(edge.to);
  }
  for (size_t v = 0; v < vertices; ++v)
    if (waits_for[v] == 0) order.push_back(v);
  for (size_t n = 0; n < order.size(); ++n)
    for (const size_t v : after[order[n]])
      if (--waits_for[v] == 0) order.push_back(v);
  return order;
}

// The greatest sum of `weight` over a path's edges and `own` over its vertices, to each vertex; no cycles.
template <typename Sum, typename Edge, typename OfVertex, typename OfEdge>
std::vector<Sum> greatest_sums(size_t vertices, const std::vector<Edge>& edges, OfVertex own, OfEdge weight) {
  std::vector<std::vector<const Edge*>> after(vertices);
  for (const Edge& edge : edges) after[edge.from].push_back(&edge);
  std::vector<Sum> sums(vertices, 0);
  for (const size_t v : topological_order(vertices, edges)) {
    sums[v] += own(v);
    for (const Edge* edge : after[v]) sums[edge->to] = std::max<Sum>(sums[edge->to], sums[v] + weight(*edge));
  }
  return sums;
}

}  // namespace samcl::analysis
