// Tasks whose jobs are graphs: vertices that execute on a CPU, a link or a GPU, each when its predecessors have ended
// ("typed DAG"). Every task has processors of its own (federated), which never idle while one of its vertices waits for
// such a one; whether vertices are preempted does not matter. Han et al., "Response time bounds for typed DAG parallel
// tasks on heterogeneous multi-cores", IEEE TPDS 30 (2019).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::dag {

inline constexpr size_t kMostVertices = 64;  // of a task

struct Vertex {
  std::string name;
  Resource resource = Resource::cpu;
  Time worst = 0;
};

// The second vertex begins after the first.
struct Edge {
  size_t from = 0, to = 0;
  bool operator==(const Edge&) const = default;
};

struct Task {
  std::string name;
  Time period = 0, deadline = 0;  // deadline <= period
  std::vector<Vertex> vertices;
  std::vector<Edge> edges = {};
};

struct TaskSet {
  Platform platform;
  std::vector<Task> tasks;
};

// What makes no sense is an error naming task and vertex. Nothing may be analysed before this.
Result<void> check(const TaskSet& set);

// From a job's release to the end of its last vertex, on the platform alone; rounded up.
Time jaffe_bound(const Task& task, const Platform& platform);   // Jaffe (1980); may grow with more processors
Time scaled_bound(const Task& task, const Platform& platform);  // Han et al.'s first
// Their second, over all paths; the first where that are too many.
Time path_bound(const Task& task, const Platform& platform);

// Processors of each task's own, task by task: the least of the most scarce that are left, GPUs before links before
// CPUs, with which its path bound is within its deadline. Nothing if some task finds none. (Other ways to divide are
// not tried.)
std::optional<std::vector<Platform>> federate(const TaskSet& set);

}  // namespace samcl::analysis::dag
