#include "analysis/dbf/task_graph.h"

#include <algorithm>
#include <set>

#include "analysis/model/graph.h"
#include "analysis/model/limits.h"

namespace samcl::analysis::dbf {
namespace {

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

std::string edge_name(const TaskGraph& task, const Edge& edge) {
  return quoted(task.vertices[edge.from].name) + " -> " + quoted(task.vertices[edge.to].name);
}

Result<void> check_vertices(const TaskGraph& task) {
  if (task.vertices.empty() || task.vertices.size() > kMostVertices)
    return fail(std::to_string(task.vertices.size()) + " vertices, expected 1 to " + std::to_string(kMostVertices));
  std::set<std::string> names;
  for (const Vertex& vertex : task.vertices) {
    const std::string who = "vertex " + quoted(vertex.name) + ": ";
    if (vertex.name.empty()) return fail("a vertex without a name");
    if (!names.insert(vertex.name).second) return fail(who + "listed twice, expected distinct names");
    if (auto good = within(who + "execution", vertex.execution, 1, kLongest); !good) return good;
    if (auto good = within(who + "deadline", vertex.deadline, 1, kLongest); !good) return good;
  }
  return {};
}

Result<void> check_edges(const TaskGraph& task) {
  std::set<std::pair<size_t, size_t>> known;
  for (const Edge& edge : task.edges) {
    if (edge.from >= task.vertices.size() || edge.to >= task.vertices.size())
      return fail("an edge to a vertex that is not there");
    const std::string who = "edge " + edge_name(task, edge) + ": ";
    if (edge.from == edge.to) return fail(who + "expected two different vertices");
    if (!known.insert({edge.from, edge.to}).second) return fail(who + "listed twice");
    if (auto good = within(who + "separation", edge.separation, 0, kLongest); !good) return good;
  }
  return {};
}

std::vector<size_t> degrees(const TaskGraph& task, size_t Edge::* end) {
  std::vector<size_t> count(task.vertices.size(), 0);
  for (const Edge& edge : task.edges) ++count[edge.*end];
  return count;
}

// `end`: Edge::to for the source, Edge::from for the sink.
Result<void> check_one_end(const TaskGraph& task, size_t Edge::* end, const std::string& what) {
  const auto degree = degrees(task, end);
  std::string names;
  for (size_t v = 0; v < degree.size(); ++v)
    if (degree[v] == 0) names += (names.empty() ? "" : ", ") + quoted(task.vertices[v].name);
  if (std::count(degree.begin(), degree.end(), 0U) == 1) return {};
  return fail(names.empty() ? "no vertex without " + what + ": there is a cycle"
                            : names + " have no " + what + ", expected one vertex without");
}

Result<void> check_no_cycle(const TaskGraph& task) {
  std::vector<size_t> order = topological_order(task);
  if (order.size() == task.vertices.size()) return {};
  std::sort(order.begin(), order.end());
  size_t left = 0;
  while (left < order.size() && order[left] == left) ++left;
  return fail("vertex " + quoted(task.vertices[left].name) + " is on a cycle or behind one");
}

std::vector<Time> executions(const TaskGraph& task) {
  return greatest_sums<Time>(
      task.vertices.size(), task.edges, [&](size_t v) { return task.vertices[v].execution; },
      [](const Edge&) { return Time{0}; });
}

Result<void> check_order_of_deadlines(const TaskGraph& task) {
  for (const Edge& edge : task.edges) {
    const Time later = edge.separation + task.vertices[edge.to].deadline;
    if (task.vertices[edge.from].deadline > later)
      return fail("edge " + edge_name(task, edge) + ": deadline " + std::to_string(task.vertices[edge.from].deadline) +
                  " ns of " + quoted(task.vertices[edge.from].name) + " is after that of " +
                  quoted(task.vertices[edge.to].name) +
                  ", for exact bounds at most separation + deadline = " + std::to_string(later));
  }
  const auto order = topological_order(task);
  const Vertex &source = task.vertices[order.front()], &sink = task.vertices[order.back()];
  if (sink.deadline > restart_of(task) + source.deadline)
    return fail("restart is " + std::to_string(restart_of(task)) + " ns: the deadline of " + quoted(sink.name) +
                " may be after that of the next " + quoted(source.name) + ", for exact bounds at least " +
                std::to_string(sink.deadline - source.deadline));
  return {};
}

Result<void> check_length_of_instances(const TaskGraph& task) {
  const auto lengths = greatest_sums<Time>(
      task.vertices.size(), task.edges, [](size_t) { return Time{0}; },
      [](const Edge& edge) { return edge.separation; });
  const size_t sink = topological_order(task).back();
  const Time least = lengths[sink] + std::max(restart_of(task), task.vertices[sink].deadline);
  if (task.period < least)
    return fail("period is " + std::to_string(task.period) + " ns, for exact bounds at least " + std::to_string(least) +
                " (the longest path, and restart or the deadline of " + quoted(task.vertices[sink].name) + ")");
  return {};
}

Result<void> check_shape(const TaskGraph& task) {
  if (auto good = within("period", task.period, 1, kLongest); !good) return good;
  if (auto good = check_vertices(task); !good) return good;
  if (auto good = check_edges(task); !good) return good;
  if (auto good = check_one_end(task, &Edge::to, "predecessor (source)"); !good) return good;
  if (auto good = check_one_end(task, &Edge::from, "successor (sink)"); !good) return good;
  if (auto good = check_no_cycle(task); !good) return good;
  return within("restart", restart_of(task), 0, kLongest);
}

}  // namespace

Result<void> check(const TaskGraph& task) {
  if (task.name.empty()) return fail("a task without a name");
  auto good = check_shape(task);
  if (!good) return fail("task " + quoted(task.name) + ": " + good.error().message);
  return {};
}

Result<void> check_exact(const TaskGraph& task) {
  auto good = check_order_of_deadlines(task);
  if (good) good = check_length_of_instances(task);
  if (!good) return fail("task " + quoted(task.name) + ": " + good.error().message);
  return {};
}

Result<void> check(const std::vector<TaskGraph>& tasks) {
  if (tasks.empty()) return fail("no tasks, expected at least one");
  std::set<std::string> names;
  for (const TaskGraph& task : tasks) {
    if (auto good = check(task); !good) return good;
    if (!names.insert(task.name).second)
      return fail("task " + quoted(task.name) + ": listed twice, expected distinct names");
  }
  return {};
}

std::vector<size_t> topological_order(const TaskGraph& task) {
  return analysis::topological_order(task.vertices.size(), task.edges);
}

Time restart_of(const TaskGraph& task) {
  return task.restart ? *task.restart : task.vertices[topological_order(task).back()].deadline;
}

HeaviestPath heaviest_path(const TaskGraph& task) {
  const auto sums = executions(task);
  size_t at = topological_order(task).back();
  HeaviestPath path{sums[at], {at}};
  for (bool found = true; found;) {
    found = false;
    for (const Edge& edge : task.edges) {
      if (edge.to != at || sums[edge.from] + task.vertices[at].execution != sums[at]) continue;
      path.vertices.insert(path.vertices.begin(), at = edge.from);
      found = true;
      break;
    }
  }
  return path;
}

Result<std::vector<TaskGraph>> sporadic(const TaskSet& set) {
  if (set.platform.cpus != 1)
    return fail("platform, cpus: " + std::to_string(set.platform.cpus) + ", expected 1 for demand bounds");
  std::vector<TaskGraph> graphs;
  for (const Task& task : set.tasks) {
    Vertex job{task.name, 0, task.deadline};
    for (const Stage& stage : task.stages) {
      if (stage.resource != Resource::cpu)
        return fail("task \"" + task.name + "\", stages: " + name(stage.resource) + ", expected CPU for demand bounds");
      job.execution += stage.worst_in(1);
    }
    graphs.push_back({task.name, task.period, {job}, {}, {}});
  }
  if (auto good = check(graphs); !good) return tl::unexpected(good.error());
  return graphs;
}

}  // namespace samcl::analysis::dbf
