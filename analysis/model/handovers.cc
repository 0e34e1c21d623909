#include "analysis/model/handovers.h"

namespace samcl::analysis {

Time own_handovers(const Task& task, const Handovers& handovers) {
  Time sum = handovers.wake;
  for (const Stage& stage : task.stages)
    if (stage.resource != Resource::cpu) sum += stage.requests * handovers.per_request();
  return sum;
}

Task with_handovers(Task task, const Handovers& handovers) {
  for (Time& time : task.work) time += own_handovers(task, handovers);
  for (Stage& stage : task.stages) {
    if (stage.resource == Resource::cpu) continue;
    for (Time& time : stage.worst) time += stage.requests * handovers.per_request();
    lengthen_sections(stage, handovers.section);
  }
  for (Time& time : task.stages.front().worst) time += handovers.wake;
  return task;
}

}  // namespace samcl::analysis
