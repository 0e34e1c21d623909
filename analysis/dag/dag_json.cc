#include "analysis/dag/dag_json.h"

#include <nlohmann/json.hpp>

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis::dag {
namespace {

Result<Vertex> read_vertex(const Place& place) {
  Vertex vertex;
  return Fields(place)
      .need("name", vertex.name)
      .need("resource", vertex.resource)
      .need("worst", vertex.worst)
      .finish(vertex);
}

Result<Edge> read_edge(const Place& place, const std::vector<Vertex>& vertices) {
  if (!place.value.is_array() || place.value.size() != 2) return place.wrong("two names of vertices");
  Edge edge;
  auto good = read_end(place.at(size_t{0}), vertices, edge.from);
  if (good) good = read_end(place.at(size_t{1}), vertices, edge.to);
  if (!good) return tl::unexpected(good.error());
  return edge;
}

Result<Task> read_task(const Place& place) {
  Task task;
  std::optional<Time> deadline;
  const auto vertices = [&](const Place& list) {
    return read_list(list, task.vertices, "a list of vertices", read_vertex);
  };
  const auto edges = [&](const Place& list) {
    return read_list(list, task.edges, "a list of edges",
                     [&](const Place& edge) { return read_edge(edge, task.vertices); });
  };
  const auto good = Fields(place)
                        .need("name", task.name)
                        .need("period", task.period)
                        .need("vertices", vertices)
                        .may("deadline", deadline)
                        .may("edges", edges)
                        .finish();
  if (!good) return tl::unexpected(good.error());
  task.deadline = deadline.value_or(task.period);
  return task;
}

}  // namespace

Result<TaskSet> parse_dags(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  TaskSet set;
  auto good = Fields({*document, ""})
                  .need("platform", set.platform)
                  .need("tasks",
                        [&](const Place& list) {
                          return read_list(list, set.tasks, "a list of at least one task", read_task, 1);
                        })
                  .finish();
  if (good) good = check(set);
  if (!good) return tl::unexpected(good.error());
  return set;
}

std::string format_dags(const TaskSet& set) {
  using nlohmann::ordered_json;
  ordered_json tasks = ordered_json::array();
  for (const Task& task : set.tasks) {
    ordered_json vertices = ordered_json::array(), edges = ordered_json::array();
    for (const Vertex& vertex : task.vertices)
      vertices.push_back({{"name", vertex.name}, {"resource", name(vertex.resource)}, {"worst", vertex.worst}});
    for (const auto& [from, to] : task.edges) edges.push_back({task.vertices[from].name, task.vertices[to].name});
    tasks.push_back({{"name", task.name},
                     {"period", task.period},
                     {"deadline", task.deadline},
                     {"vertices", std::move(vertices)},
                     {"edges", std::move(edges)}});
  }
  const ordered_json platform = {{"cpus", set.platform.cpus}, {"pci", set.platform.links}, {"gpus", set.platform.gpus}};
  return json_text(ordered_json({{"platform", platform}, {"tasks", std::move(tasks)}}), 2) + "\n";
}

std::string format_federation(const TaskSet& set, const std::optional<std::vector<Platform>>& own) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    tasks.push_back({{"name", task.name},
                     {"deadline", task.deadline},
                     {"jaffe", jaffe_bound(task, set.platform)},
                     {"scaled", scaled_bound(task, set.platform)},
                     {"paths", path_bound(task, set.platform)}});
    if (own) tasks.back()["own"] = {{"cpus", (*own)[i].cpus}, {"pci", (*own)[i].links}, {"gpus", (*own)[i].gpus}};
  }
  return json_text(nlohmann::ordered_json({{"schedulable", own.has_value()}, {"tasks", std::move(tasks)}}), 2) + "\n";
}

}  // namespace samcl::analysis::dag
