#include "analysis/dag/np_dags.h"

#include <algorithm>
#include <map>

#include "analysis/csv/rows.h"
#include "base/duration.h"

namespace samcl::analysis::dag {
namespace {

constexpr Time kMillisecond = 1'000'000;

std::string milliseconds(Time time) {
  std::string part = std::to_string(kMillisecond + time % kMillisecond).substr(1);
  part.erase(part.find_last_not_of('0') + 1);
  return std::to_string(time / kMillisecond) + (part.empty() ? "" : "." + part);
}

Result<Time> milliseconds_of(const CsvRow& row, size_t cell) {
  const auto time = parse_duration(row.cells[cell] + "ms");
  if (!time || *time > kLongest) return row.wrong("'" + row.cells[cell] + "', expected milliseconds");
  return *time;
}

// Tasks and vertices by what the file calls them; edges once all vertices are known.
class DagReader {
 public:
  explicit DagReader(int cpus) { set_.platform.cpus = cpus; }

  Result<void> read(const CsvRow& row) {
    if (row.cells[0] == "T" && row.cells.size() == 4) return read_task(row);
    if (row.cells[0] == "V" && row.cells.size() >= 7) return read_vertex(row);
    return row.wrong("expected T, task, period, deadline or V, task, vertex, two releases, two costs, predecessors");
  }

  Result<TaskSet> finish() {
    for (const Edges& edges : edges_)
      for (size_t cell = 7; cell < edges.row.cells.size(); ++cell) {
        const auto from = vertices_[edges.task].find(edges.row.cells[cell]);
        if (from == vertices_[edges.task].end())
          return edges.row.wrong("'" + edges.row.cells[cell] + "', expected a vertex of the same task");
        set_.tasks[edges.task].edges.emplace_back(from->second, edges.vertex);
      }
    if (auto good = check(set_); !good) return tl::unexpected(good.error());
    return std::move(set_);
  }

 private:
  Result<void> read_task(const CsvRow& row) {
    if (!tasks_.emplace(row.cells[1], set_.tasks.size()).second)
      return row.wrong("'" + row.cells[1] + "', expected a task that no other line has");
    const auto period = milliseconds_of(row, 2), deadline = milliseconds_of(row, 3);
    for (const auto& time : {period, deadline})
      if (!time) return tl::unexpected(time.error());
    set_.tasks.push_back({"task " + row.cells[1], *period, *deadline, {}});
    vertices_.emplace_back();
    return {};
  }

  Result<void> read_vertex(const CsvRow& row) {
    const auto task = tasks_.find(row.cells[1]);
    if (task == tasks_.end()) return row.wrong("'" + row.cells[1] + "', expected a task of a line before");
    for (const size_t cell : {3u, 4u, 5u, 6u})
      if (const auto time = milliseconds_of(row, cell); !time) return tl::unexpected(time.error());
    if (*milliseconds_of(row, 3) != 0 || *milliseconds_of(row, 4) != 0)
      return row.wrong("released from " + row.cells[3] + " to " + row.cells[4] + ", expected 0: with the task's job");
    auto& vertices = set_.tasks[task->second].vertices;
    if (!vertices_[task->second].emplace(row.cells[2], vertices.size()).second)
      return row.wrong("'" + row.cells[2] + "', expected a vertex that no other line of the task has");
    edges_.push_back({row, task->second, vertices.size()});
    vertices.push_back({row.cells[2], Resource::cpu, *milliseconds_of(row, 6)});
    return {};
  }

  struct Edges {
    CsvRow row;
    size_t task, vertex;
  };

  TaskSet set_;
  std::map<std::string, size_t> tasks_;
  std::vector<std::map<std::string, size_t>> vertices_;  // [task]
  std::vector<Edges> edges_;
};

}  // namespace

Result<std::string> format_np_dags(const TaskSet& set) {
  std::string csv;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const std::string id = std::to_string(i + 1);
    csv += "T, " + id + ", " + milliseconds(task.period) + ", " + milliseconds(task.deadline) + "\n";
    for (size_t v = 0; v < task.vertices.size(); ++v) {
      const Vertex& vertex = task.vertices[v];
      if (vertex.resource != set.tasks.front().vertices.front().resource)
        return fail("task \"" + task.name + "\", vertex \"" + vertex.name +
                    "\", resource: expected that of the first vertex: there is one kind of processor");
      csv += "V, " + id + ", " + std::to_string(v + 1) + ", 0, 0, 0, " + milliseconds(vertex.worst);
      for (const auto& [from, to] : task.edges)
        if (to == v) csv += ", " + std::to_string(from + 1);
      csv += "\n";
    }
  }
  return csv;
}

bool is_np_dags(const std::string& text) {
  const auto rows = parse_rows(text.substr(0, text.find('\n')));
  return rows && !rows->empty() && rows->front().cells[0] == "T";
}

Result<TaskSet> parse_np_dags(const std::string& text, int cpus) {
  auto rows = parse_rows(text);
  if (!rows) return tl::unexpected(rows.error());
  DagReader reader(cpus);
  for (CsvRow& row : *rows) {
    while (row.cells.size() > 1 && row.cells.back().empty()) row.cells.pop_back();
    if (auto good = reader.read(row); !good) return tl::unexpected(good.error());
  }
  return reader.finish();
}

}  // namespace samcl::analysis::dag
