#include "analysis/locking/pipeline.h"

namespace samcl::analysis::locking {
namespace {

Result<Task> shares(const analysis::Task& task, int mode) {
  const std::string who = "task \"" + task.name + "\", ";
  if (task.deadline != task.period)
    return fail(who + "deadline: " + std::to_string(task.deadline) + " ns, expected the period for locking");
  if (mode != 1) return fail(who + "mode: " + std::to_string(mode) + ", expected 1 for locking: a GPU at a time");
  if (!task.uses(Resource::gpu) && task.uses(Resource::link))
    return fail(who + "stages: transfers, expected a GPU stage with them for locking");
  Task result;
  result.name = task.name;
  result.period = task.period;
  Time since = 0;  // CPU time since the last stage of the critical section
  for (const Stage& stage : task.stages) {
    (stage.resource == Resource::gpu ? result.gpu : result.cpu) += stage.worst_in(mode);
    result.cpu += stage.between_in(mode);
    if (stage.resource == Resource::cpu) {
      since += stage.worst_in(mode);
      continue;
    }
    if (result.section > 0) result.section += since;
    result.section += stage.length_in(mode);
    since = 0;
  }
  return result;
}

}  // namespace

analysis::TaskSet pipeline(const TaskSet& set) {
  analysis::TaskSet result;
  result.platform = {set.cpus, set.gpus, set.gpus};
  for (const Task& task : set.tasks) {
    analysis::Task& converted = result.tasks.emplace_back();
    converted.name = task.name;
    converted.period = converted.deadline = task.period;
    const auto add = [&](Resource resource, Time worst) {
      if (worst > 0)
        converted.stages.push_back({resource, std::vector<Time>(static_cast<size_t>(set.gpus), worst), {}});
    };
    const Time in = (task.communication() + 1) / 2;
    add(Resource::cpu, task.cpu - task.communication());
    add(Resource::link, in);
    add(Resource::gpu, task.gpu);
    add(Resource::link, task.communication() - in);
  }
  return result;
}

Result<TaskSet> shared_gpus(const analysis::TaskSet& set, std::span<const int> modes) {
  if (set.platform.bound) return fail("platform, bound: expected false for locking");
  TaskSet result{set.platform.cpus, set.platform.gpus, {}};
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    auto task = shares(set.tasks[i], modes[i]);
    if (!task) return tl::unexpected(task.error());
    result.tasks.push_back(std::move(*task));
  }
  if (auto good = check(result); !good) return tl::unexpected(good.error());
  return result;
}

}  // namespace samcl::analysis::locking
