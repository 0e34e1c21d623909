#include "analysis/model/initiation.h"

namespace samcl::analysis {
namespace {

// In a job of this period.
Time delay(Time period, Time cpu, Time length) { return length == 0 ? 0 : cpu * ((period + length - 1) / length); }

Time added(const Task& task, const Stage& stage, const Initiation& initiation) {
  switch (stage.resource) {
    case Resource::link: return initiation.transfer_cpu * stage.requests;
    case Resource::gpu: return initiation.launch_cpu * stage.requests;
    case Resource::cpu: break;
  }
  return delay(task.period, initiation.transfer_cpu, initiation.transfer) +
         delay(task.period, initiation.launch_cpu, initiation.launch);
}

}  // namespace

TaskSet with_initiation(TaskSet set, const Initiation& initiation) {
  for (Task& task : set.tasks)
    for (Stage& stage : task.stages) {
      const Time more = added(task, stage, initiation);
      for (Time& time : stage.worst) time += more;
      for (Time& time : task.work) time += more;
      lengthen_sections(stage, more);
    }
  return set;
}

}  // namespace samcl::analysis
