// Recurring real-time tasks (Baruah, "Dynamic- and static-priority scheduling of recurring real-time tasks",
// Real-Time Systems 24, 2003; Chakraborty, Erlebach & Thiele, WADS 2001): code with branches, as a directed
// acyclic graph with one source and one sink.
//
// A task's behaviour is a walk through its graph. When a vertex v is triggered, a job is released that has to
// execute for e(v) within d(v). After u, one successor v is triggered, p(u,v) or more later; after the sink
// the source again, `restart` or more later and a period P or more after the source was triggered last. One
// walk from source to sink is an instance of the task.
//
// All times are whole nanoseconds. No I/O here; analysis/json/task_graphs_json.h reads and writes these
// types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::dbf {

struct Vertex {
  std::string name;
  Time execution = 0;  // e(v), at least 1
  Time deadline = 0;   // d(v), from the trigger, at least 1
};

struct Edge {
  size_t from = 0;
  size_t to = 0;
  Time separation = 0;  // p(from, to)
};

struct TaskGraph {
  std::string name;
  Time period = 0;
  std::vector<Vertex> vertices;
  std::vector<Edge> edges;
  // From the sink's trigger to the source's next; the sink's deadline if not given, so that an instance is
  // over before the next begins.
  std::optional<Time> restart;
};

inline constexpr size_t kMostVertices = 4096;

// What makes no sense is an error naming task, vertex or edge, and what was expected: one source, one sink,
// no cycle, and times in their ranges. Nothing may be analysed before this.
Result<void> check(const TaskGraph& task);
// Also that names are distinct.
Result<void> check(const std::vector<TaskGraph>& tasks);

// Of checked tasks:

// Demand bounds are exact if
//   - deadlines are in order: no job's deadline is after the deadline of a job triggered later, however
//   close they follow: d(u) <= p(u,v) + d(v), and so from the sink to the source;
//   - an instance fits into the period: on every path from source to sink, P is at least the sum of the
//   separations, plus restart or the sink's deadline, whichever is longer.
// Else they are upper bounds, and the error says which of these does not hold, and where.
Result<void> check_exact(const TaskGraph& task);

// Vertices by their indices, each after all of its predecessors: source first, sink last.
std::vector<size_t> topological_order(const TaskGraph& task);

Time restart_of(const TaskGraph& task);

// The path from source to sink with the largest sum of e: E(T), and its vertices.
struct HeaviestPath {
  Time execution = 0;
  std::vector<size_t> vertices;
};
HeaviestPath heaviest_path(const TaskGraph& task);

// Sporadic tasks (model/task_set.h) as recurring tasks of one vertex; the result has passed check().
// An error: another platform than one CPU, a stage that is not on it.
Result<std::vector<TaskGraph>> sporadic(const TaskSet& set);

}  // namespace samcl::analysis::dbf
