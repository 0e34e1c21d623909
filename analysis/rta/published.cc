#include "analysis/rta/published.h"

#include <cmath>
#include <numeric>

namespace samcl::analysis {

Published::Published(const TaskSet& set, PriorityOrder order, std::vector<int> modes)
    : Core(set, std::move(order), std::move(modes)), steps_(set.tasks.size()) {}

// Z: of the subtasks of less urgent tasks on the resource, the N largest.
void Published::sections(const TaskRow& row, Resource resource, Longest& longest) const {
  if (resource == Resource::cpu) return;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource)
      for (double subtask = 0; subtask < stage.subtasks; ++subtask) longest.add(stage.worst - 1);
}

// r, or kForever if there is none below the limit.
double Published::fixed_point(const TaskRow& row, const StageRow& stage, double blocking) {
  const Lane& lane = this->lane(first_lane(stage.resource));
  const size_t end = row.first[static_cast<size_t>(stage.resource)];
  const double count = lane.elements;
  const double limit = static_cast<double>(kLimit * row.task->period);
  const double constant = stage.worst + blocking;
  const Line& line = lane.cycles.below(lane.cycles.tasks_before(end));
  if (line.slope >= count) return kForever;
  // Every fixed point is above the line's; two less for the division's rounding down, and a millionth for
  // that of the line.
  const double start = (constant + line.base / count) / (1 - line.slope / count) * (1 - 1e-6) - 2;
  if (start > limit) return kForever;
  double r = std::max(constant, start > 0 ? whole(start) : 0);
  if (r > limit) return kForever;
  steps_.begin(lane.cycles, lane.cycles.tasks_before(end), r);
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

Time Published::respond(TaskRow& row, bool detail) {
  double response = 0, execution = 0;
  for (size_t j = 0; j < row.stages.size(); ++j) {
    StageRow& stage = row.stages[j];
    const double jitter = response < kForever ? response - execution : kForever;
    Lane& lane = this->lane(first_lane(stage.resource));
    lane.demand.set(stage.row, load(row, j), 1, jitter, jitter);
    const auto& longest = row.blocking[first_lane(stage.resource)];
    const double blocking = divide(std::accumulate(longest.begin(), longest.end(), 0.0), lane.elements);
    const double r = response < kForever ? fixed_point(row, stage, blocking) : kForever;
    response = r < kForever ? response + r : kForever;
    execution += stage.worst;
    if (detail) stage.bound = stage_bound(r, r - stage.worst - blocking, blocking, jitter, response);
  }
  return response > static_cast<double>(kLimit * row.task->period) ? kUnbounded : static_cast<Time>(response);
}

}  // namespace samcl::analysis
