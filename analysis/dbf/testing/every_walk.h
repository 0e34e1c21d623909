// The oracle of the tests: every walk of a small task, triggered as early as can be, one by one. Nothing of
// the doubled graph, of the recurrence or of order among deadlines is used.
#pragma once

#include <map>

#include "analysis/dbf/task_graph.h"

namespace samcl::analysis::dbf {

class EveryWalk {
 public:
  // Of length `horizon` at most.
  EveryWalk(const TaskGraph& task, Time horizon) : task_(task), horizon_(horizon) {
    const auto order = topological_order(task);
    source_ = order.front();
    sink_ = order.back();
    for (size_t v = 0; v < task.vertices.size(); ++v) extend({v, 0, 0, 0, 0, 0});
  }

  // The most that is demanded within t <= horizon.
  Time demand(Time t) const {
    Time most = 0;
    for (auto step = most_by_length_.begin(); step != most_by_length_.end() && step->first <= t; ++step)
      most = std::max(most, step->second);
    return most;
  }
  // By length: the most that a walk of that length demands.
  const std::map<Time, Time>& lengths() const { return most_by_length_; }
  // By demand: the shortest such walk, of those that trigger the source never, and once.
  const std::map<Time, Time>& shortest_without_source() const { return shortest_[0]; }
  const std::map<Time, Time>& shortest_with_source() const { return shortest_[1]; }

 private:
  struct Job {
    size_t vertex;
    Time at, end, demand;  // end: the latest deadline so far
    int sources;
    Time last_source;
  };

  void extend(Job job) {
    if (job.at > horizon_) return;
    const Vertex& vertex = task_.vertices[job.vertex];
    if (job.vertex == source_) {
      ++job.sources;
      job.last_source = job.at;
    }
    job.end = std::max(job.end, job.at + vertex.deadline);
    job.demand += vertex.execution;
    if (job.end <= horizon_) {
      Time& most = most_by_length_[job.end];
      most = std::max(most, job.demand);
    }
    if (job.sources < 2) {
      const auto [known, is_new] = shortest_[job.sources].try_emplace(job.demand, job.end);
      if (!is_new) known->second = std::min(known->second, job.end);
    }
    for (const Edge& edge : task_.edges)
      if (edge.from == job.vertex) go_on(job, edge.to, job.at + edge.separation);
    if (job.vertex != sink_) return;
    const Time after = job.at + restart_of(task_);
    go_on(job, source_, job.sources == 0 ? after : std::max(after, job.last_source + task_.period));
  }
  void go_on(Job job, size_t vertex, Time at) {
    job.vertex = vertex;
    job.at = at;
    extend(job);
  }

  const TaskGraph& task_;
  const Time horizon_;
  size_t source_ = 0, sink_ = 0;
  std::map<Time, Time> most_by_length_;
  std::map<Time, Time> shortest_[2];
};

}  // namespace samcl::analysis::dbf
