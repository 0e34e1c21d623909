#include "analysis/dag/dag_json.h"

#include <nlohmann/json.hpp>

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis::dag {
namespace {

Result<Vertex> read_vertex(const Place& place) {
  if (auto good = check_fields(place, {"name", "resource", "worst"}, {}); !good) return tl::unexpected(good.error());
  Vertex vertex;
  for (const auto& good : {read_into(vertex.name, read_string, place.at("name")),
                           read_into(vertex.resource, read_resource, place.at("resource")),
                           read_into(vertex.worst, read_time, place.at("worst"))})
    if (!good) return tl::unexpected(good.error());
  return vertex;
}

Result<std::pair<size_t, size_t>> read_edge(const Place& place, const std::vector<Vertex>& vertices) {
  if (!place.value.is_array() || place.value.size() != 2) return place.wrong("two names of vertices");
  const auto from = read_end(place.at(size_t{0}), vertices), to = read_end(place.at(size_t{1}), vertices);
  for (const auto& end : {from, to})
    if (!end) return tl::unexpected(end.error());
  return std::pair(*from, *to);
}

Result<Task> read_task(const Place& place) {
  if (auto good = check_fields(place, {"name", "period", "vertices"}, {"deadline", "edges"}); !good)
    return tl::unexpected(good.error());
  Task task;
  const auto vertices = [](const Place& list) { return read_list<Vertex>(list, "a list of vertices", read_vertex); };
  const auto edges = [&](const Place& list) {
    return read_list<std::pair<size_t, size_t>>(list, "a list of edges",
                                                [&](const Place& edge) { return read_edge(edge, task.vertices); });
  };
  for (const auto& good :
       {read_into(task.name, read_string, place.at("name")), read_into(task.period, read_time, place.at("period")),
        read_into(task.deadline, read_time, place.at(place.has("deadline") ? "deadline" : "period")),
        read_into(task.vertices, vertices, place.at("vertices")),
        place.has("edges") ? read_into(task.edges, edges, place.at("edges")) : Result<void>()})
    if (!good) return tl::unexpected(good.error());
  return task;
}

}  // namespace

Result<TaskSet> parse_dags(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  const Place all{*document, ""};
  if (auto good = check_fields(all, {"platform", "tasks"}, {}); !good) return tl::unexpected(good.error());
  TaskSet set;
  const auto tasks = [](const Place& list) { return read_list<Task>(list, "a list of tasks", read_task); };
  for (const auto& good : {read_into(set.platform, read_platform, all.at("platform")),
                           read_into(set.tasks, tasks, all.at("tasks")), check(set)})
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

}  // namespace samcl::analysis::dag
