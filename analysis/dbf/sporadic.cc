#include "analysis/dbf/sporadic.h"

namespace samcl::analysis::dbf {

Result<std::vector<TaskGraph>> sporadic(const TaskSet& set) {
  if (set.platform.cpus != 1)
    return fail("platform, cpus: " + std::to_string(set.platform.cpus) + ", expected 1 for demand bounds");
  std::vector<TaskGraph> graphs;
  for (const Task& task : set.tasks) {
    Vertex job{task.name, 0, task.deadline};
    for (const Stage& stage : task.stages) {
      if (stage.resource != Resource::cpu)
        return fail("task \"" + task.name + "\", stages: " + name(stage.resource) + ", expected CPU for demand bounds");
      job.execution += stage.worst_in(1);
    }
    graphs.push_back({task.name, task.period, {job}, {}, {}});
  }
  if (auto good = check(graphs); !good) return tl::unexpected(good.error());
  return graphs;
}

}  // namespace samcl::analysis::dbf
