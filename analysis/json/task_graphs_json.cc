#include "analysis/json/task_graphs_json.h"

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using dbf::Edge;
using dbf::TaskGraph;
using dbf::Vertex;
using nlohmann::ordered_json;

Result<Vertex> read_vertex(const Place& place) {
  if (auto good = check_fields(place, {"name", "execution", "deadline"}, {}); !good)
    return tl::unexpected(good.error());
  Vertex vertex;
  for (const auto& good : {read_into(vertex.name, read_string, place.at("name")),
                           read_into(vertex.execution, read_time, place.at("execution")),
                           read_into(vertex.deadline, read_time, place.at("deadline"))})
    if (!good) return tl::unexpected(good.error());
  return vertex;
}

Result<Edge> read_edge(const Place& place, const TaskGraph& task) {
  if (auto good = check_fields(place, {"from", "to", "separation"}, {}); !good) return tl::unexpected(good.error());
  const auto end = [&](const Place& where) { return read_end(where, task.vertices); };
  Edge edge;
  for (const auto& good : {read_into(edge.from, end, place.at("from")), read_into(edge.to, end, place.at("to")),
                           read_into(edge.separation, read_time, place.at("separation"))})
    if (!good) return tl::unexpected(good.error());
  return edge;
}

Result<TaskGraph> read_task(const Place& place) {
  if (auto good = check_fields(place, {"name", "period", "vertices"}, {"edges", "restart"}); !good)
    return tl::unexpected(good.error());
  TaskGraph task;
  const auto vertices = [](const Place& list) { return read_list<Vertex>(list, "a list of vertices", read_vertex); };
  const auto edges = [&](const Place& list) {
    return read_list<Edge>(list, "a list of edges", [&](const Place& edge) { return read_edge(edge, task); });
  };
  for (const auto& good :
       {read_into(task.name, read_string, place.at("name")), read_into(task.period, read_time, place.at("period")),
        place.has("restart") ? read_into(task.restart, read_time, place.at("restart")) : Result<void>(),
        read_into(task.vertices, vertices, place.at("vertices")),
        place.has("edges") ? read_into(task.edges, edges, place.at("edges")) : Result<void>()})
    if (!good) return tl::unexpected(good.error());
  return task;
}

}  // namespace

Result<std::vector<TaskGraph>> parse_task_graphs(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  const Place all{*document, ""};
  if (auto good = check_fields(all, {"tasks"}, {}); !good) return tl::unexpected(good.error());
  auto tasks = read_list<TaskGraph>(all.at("tasks"), "a list of tasks", read_task);
  if (!tasks) return tasks;
  if (auto good = dbf::check(*tasks); !good) return tl::unexpected(good.error());
  return tasks;
}

std::string format_task_graphs(const std::vector<TaskGraph>& tasks) {
  ordered_json list = ordered_json::array();
  for (const TaskGraph& task : tasks) {
    ordered_json entry = {{"name", task.name}, {"period", task.period}};
    if (task.restart) entry["restart"] = *task.restart;
    entry["vertices"] = ordered_json::array();
    for (const Vertex& vertex : task.vertices)
      entry["vertices"].push_back(
          {{"name", vertex.name}, {"execution", vertex.execution}, {"deadline", vertex.deadline}});
    entry["edges"] = ordered_json::array();
    for (const Edge& edge : task.edges)
      entry["edges"].push_back({{"from", task.vertices[edge.from].name},
                                {"to", task.vertices[edge.to].name},
                                {"separation", edge.separation}});
    list.push_back(std::move(entry));
  }
  return json_text(ordered_json{{"tasks", std::move(list)}}, 2) + "\n";
}

}  // namespace samcl::analysis
