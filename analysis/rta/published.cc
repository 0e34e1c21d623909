#include "analysis/rta/published.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis {

Published::Published(const TaskSet& set, PriorityOrder order, std::vector<int> modes)
    : Core(set, std::move(order), std::move(modes)), steps_(set.tasks.size()) {}

// Z: of the subtasks of less urgent tasks on the resource, the N largest.
void Published::sections(const TaskRow& row, Resource resource, Longest& longest) const {
  if (resource == Resource::cpu) return;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource)
      for (auto left = static_cast<int64_t>(stage.subtasks); left > 0; --left) longest.add(stage.worst - 1);
}

double Published::blocking(const TaskRow& row, Resource resource) {
  const auto& longest = row.blocking[first_lane(resource)];
  return divide(std::accumulate(longest.begin(), longest.end(), 0.0), lane(first_lane(resource)).elements);
}

// r, or kForever if there is none below the limit. `least`: of a stage of no greater C, 0 if it is the first.
double Published::fixed_point(const TaskRow& row, const StageRow& stage, double blocking, double least) {
  const Lane& lane = this->lane(first_lane(stage.resource));
  const size_t tasks = lane.cycles.tasks_before(row.first[static_cast<size_t>(stage.resource)]);
  const double count = lane.elements;
  const double limit = static_cast<double>(kLimit * row.task->period);
  const double constant = stage.worst + blocking;
  const Line& line = lane.cycles.below(tasks);
  if (line.slope >= count) return kForever;
  // Every fixed point is above the line's; two less for the division's rounding down, and a millionth for
  // that of the line.
  const double start = (constant + line.base / count) / (1 - line.slope / count) * (1 - 1e-6) - 2;
  if (start > limit) return kForever;
  double r = std::max({constant, start > 0 ? whole(start) : 0, least});
  if (r > limit) return kForever;
  if (least == 0)
    steps_.begin(lane.cycles, tasks, r);
  else
    steps_.advance(r);
  while (true) {
    const double x = steps_.work() + own(stage);
    if (x >= kExact) return kForever;
    const double next = constant + divide(x, count);
    if (next <= r) return r;
    if (next > limit) return kForever;
    r = next;
    steps_.advance(r);
  }
}

// r grows with C, and does not depend on the task's other stages: shorter stages first, each goes on where
// the one before has come to.
void Published::respond_on(const TaskRow& row, Resource resource) {
  ascending_.clear();
  for (size_t j = 0; j < row.stages.size(); ++j) {
    if (row.stages[j].resource != resource) continue;
    size_t n = ascending_.size();
    ascending_.push_back(j);
    for (; n > 0 && row.stages[ascending_[n - 1]].worst > row.stages[j].worst; --n) ascending_[n] = ascending_[n - 1];
    ascending_[n] = j;
  }
  const double blocking = this->blocking(row, resource);
  double least = 0;
  for (const size_t j : ascending_) {
    least = least < kForever ? fixed_point(row, row.stages[j], blocking, least) : kForever;
    responses_[j] = least;
  }
}

Time Published::respond(TaskRow& row, bool detail) {
  responses_.resize(row.stages.size());
  for (const Resource resource : kResources)
    if (row.uses[static_cast<size_t>(resource)]) respond_on(row, resource);
  double response = 0, execution = 0;
  for (size_t j = 0; j < row.stages.size(); ++j) {
    StageRow& stage = row.stages[j];
    const double jitter = response < kForever ? response - execution : kForever;
    lane(first_lane(stage.resource)).demand.set(stage.row, load(row, j), 1, jitter, jitter);
    const double r = response < kForever ? responses_[j] : kForever;
    response = r < kForever ? response + r : kForever;
    execution += stage.worst;
    if (!detail) continue;
    const double blocking = this->blocking(row, stage.resource);
    stage.bound = stage_bound(r, r - stage.worst - blocking, blocking, jitter, response);
  }
  return response > static_cast<double>(kLimit * row.task->period) ? kUnbounded : static_cast<Time>(response);
}

}  // namespace samcl::analysis
