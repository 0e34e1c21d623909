#include "analysis/rta/published.h"

#include <cmath>
#include <numeric>

namespace samcl::analysis {

// Z: of the subtasks of less urgent tasks on the resource, the N largest.
void Published::sections(const TaskRow& row, Resource resource, Longest& longest) const {
  if (resource == Resource::cpu) return;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource)
      for (double subtask = 0; subtask < stage.subtasks; ++subtask) longest.add(stage.worst - 1);
}

double Published::fixed_point(const TaskRow& row, const StageRow& stage, double blocking) {
  const Demand& above = demand(stage.resource);
  const size_t end = row.first[static_cast<size_t>(stage.resource)];
  const double count = elements(stage.resource);
  const double limit = static_cast<double>(kLimit * row.task->period);
  const double constant = stage.worst + blocking;
  const Line line = below(above, end);
  if (line.slope >= count) return kExact;
  // Every fixed point is above the line's; two less for the division's rounding down, and a millionth for
  // that of the line.
  const double start = (constant + line.base / count) / (1 - line.slope / count) * (1 - 1e-6) - 2;
  double r = std::max(constant, std::floor(start));
  while (r <= limit) {
    const double x = arriving(above, end, r) + own(stage);
    if (x >= kExact) return kExact;
    const double next = constant + divide(x, count);
    if (next <= r) return r;
    r = next;
  }
  return kExact;
}

bool Published::respond(const TaskRow& row, StageRow& stage, double jitter) {
  const auto& longest = row.blocking[static_cast<size_t>(stage.resource)];
  const double blocking =
      divide(std::accumulate(longest.begin(), longest.end(), 0.0), elements(stage.resource));
  const double r = fixed_point(row, stage, blocking);
  if (r >= kExact) return false;
  stage.bound = {static_cast<Time>(r), static_cast<Time>(r - stage.worst - blocking),
                 static_cast<Time>(blocking), static_cast<Time>(jitter), 0};
  return true;
}

Time Published::respond(TaskRow& row) {
  double response = 0, execution = 0;
  bool bounded = true;
  for (size_t j = 0; j < row.stages.size(); ++j) {
    StageRow& stage = row.stages[j];
    Demand& own_rows = demand(stage.resource);
    const double jitter = bounded ? response - execution : kForever;
    own_rows.work[stage.row] = load(row, j);
    own_rows.jitter[stage.row] = jitter;
    stage.bound = {kUnbounded, kUnbounded, kUnbounded, kUnbounded, kUnbounded};
    bounded = bounded && respond(row, stage, jitter);
    if (bounded) {
      response += static_cast<double>(stage.bound.response);
      stage.bound.finish = static_cast<Time>(response);
      execution += stage.worst;
    }
  }
  if (!bounded || response > static_cast<double>(kLimit * row.task->period)) return kUnbounded;
  return static_cast<Time>(response);
}

}  // namespace samcl::analysis
