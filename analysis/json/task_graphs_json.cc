#include "analysis/json/task_graphs_json.h"

#include "analysis/json/place.h"

namespace samcl::analysis {
namespace {

using dbf::Edge;
using dbf::TaskGraph;
using dbf::Vertex;

Result<Vertex> read_vertex(const Place& place) {
  Vertex vertex;
  return Fields(place)
      .need("name", vertex.name)
      .need("execution", vertex.execution)
      .need("deadline", vertex.deadline)
      .finish(vertex);
}

Result<Edge> read_edge(const Place& place, const TaskGraph& task) {
  Edge edge;
  const auto end = [&](size_t& target) {
    return [&](const Place& vertex) { return read_end(vertex, task.vertices, target); };
  };
  return Fields(place)
      .need("from", end(edge.from))
      .need("to", end(edge.to))
      .need("separation", edge.separation)
      .finish(edge);
}

Result<TaskGraph> read_task(const Place& place) {
  TaskGraph task;
  const auto vertices = [&](const Place& list) {
    return read_list(list, task.vertices, "a list of vertices", read_vertex);
  };
  const auto edges = [&](const Place& list) {
    return read_list(list, task.edges, "a list of edges", [&](const Place& edge) { return read_edge(edge, task); });
  };
  return Fields(place)
      .need("name", task.name)
      .need("period", task.period)
      .need("vertices", vertices)
      .may("edges", edges)
      .may("restart", task.restart)
      .finish(task);
}

}  // namespace

Result<std::vector<TaskGraph>> parse_task_graphs(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  std::vector<TaskGraph> tasks;
  auto good =
      Fields({*document, ""})
          .need("tasks", [&](const Place& list) { return read_list(list, tasks, "a list of tasks", read_task); })
          .finish();
  if (good) good = dbf::check(tasks);
  if (!good) return tl::unexpected(good.error());
  return tasks;
}

}  // namespace samcl::analysis
