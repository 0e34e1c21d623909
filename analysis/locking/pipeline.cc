#include "analysis/locking/pipeline.h"

namespace samcl::analysis::locking {

analysis::TaskSet pipeline(const TaskSet& set) {
  analysis::TaskSet result;
  result.platform = {set.cpus, set.gpus, set.gpus};
  for (const Task& task : set.tasks) {
    analysis::Task& converted = result.tasks.emplace_back();
    converted.name = task.name;
    converted.period = converted.deadline = task.period;
    const auto add = [&](Resource resource, Time worst) {
      if (worst > 0)
        converted.stages.push_back({resource, std::vector<Time>(static_cast<size_t>(set.gpus), worst), {}, 0});
    };
    const Time in = (task.communication() + 1) / 2;
    add(Resource::cpu, task.cpu - task.communication());
    add(Resource::link, in);
    add(Resource::gpu, task.gpu);
    add(Resource::link, task.communication() - in);
  }
  return result;
}

}  // namespace samcl::analysis::locking
