#include "sam-manager/planning/under_policy.h"

#include <algorithm>

#include "analysis/locking/requests.h"

namespace samcl::planning {

using analysis::Resource;
using analysis::Time;
using analysis::locking::RequestingTask;
using analysis::locking::RequestOrder;
using analysis::locking::ResourceUse;

namespace {

RequestOrder order_of(const scheduler::Policy& policy) {
  if (policy.places == 0) return RequestOrder::any;
  return policy.places == SIZE_MAX ? RequestOrder::arrival : RequestOrder::omlp;
}

size_t resource_of(Resource kind, int device) {
  return 2 * static_cast<size_t>(device) + (kind == Resource::link ? 1 : 0);
}

// A section of the programs that no profile tells of, before each request: they give way to tasks.
Time others_section(const analysis::TaskSet& set, Resource kind, bool (*is_others)(const std::string&)) {
  Time longest = 0;
  for (const analysis::Task& task : set.tasks)
    for (const analysis::Stage& stage : task.stages)
      if (is_others(task.name) && stage.resource == kind) longest = std::max(longest, stage.worst_in(1));
  return longest;
}

RequestingTask requesting(const analysis::TaskSet& set, const analysis::Task& task, int device,
                          bool (*is_others)(const std::string&)) {
  RequestingTask converted{task.name, task.deadline, 0, 0, {}};
  for (const analysis::Stage& stage : task.stages) {
    converted.execution += stage.length_in(1);
    if (stage.resource == Resource::cpu) continue;
    converted.extra += stage.requests * others_section(set, stage.resource, is_others);
    const size_t resource = resource_of(stage.resource, device);
    auto use = std::find_if(converted.uses.begin(), converted.uses.end(),
                            [resource](const ResourceUse& known) { return known.resource == resource; });
    if (use == converted.uses.end()) use = converted.uses.insert(use, {resource, 0, 0, 0});
    use->longest = std::max(use->longest, stage.worst_in(1));
    use->total += stage.worst_in(1);
    use->requests += stage.requests;
  }
  return converted;
}

}  // namespace

UnderPolicy bounds_under(const scheduler::Policy& policy, const analysis::TaskSet& set, const analysis::Modes& modes,
                         const std::vector<std::vector<int>>& devices, bool (*is_others)(const std::string&)) {
  UnderPolicy result;
  result.policy = policy.name;
  result.doubt =
      "threads have fixed priorities, and the analysis of " + std::string(policy.name) + " counts on global EDF";
  std::vector<RequestingTask> tasks;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (is_others(set.tasks[i].name)) continue;
    result.tasks.push_back({set.tasks[i].name, std::nullopt});
    if (modes[i] > 1 && result.problem.empty())
      result.problem = "task \"" + set.tasks[i].name + "\" uses " + std::to_string(modes[i]) +
                       " GPUs at once, and the analysis of " + policy.name + " knows tasks on one (modes = \"single\")";
    tasks.push_back(requesting(set, set.tasks[i], devices[i].empty() ? 0 : devices[i].front(), is_others));
  }
  if (!result.problem.empty()) return result;
  const auto verdict = analysis::locking::analyse_requests(tasks, set.platform.cpus, order_of(policy));
  if (verdict.too_long)
    result.problem = "task \"" + tasks[*verdict.too_long].name +
                     "\" executes and waits for others' requests for longer than its deadline";
  else if (!verdict.fits)
    result.problem =
        "what tasks execute and wait for each other is more than " + std::to_string(set.platform.cpus) + " CPUs can do";
  if (!verdict.schedulable()) return result;
  for (size_t i = 0; i < tasks.size(); ++i) {
    result.tasks[i].bound_ns = static_cast<uint64_t>(tasks[i].period + verdict.tasks[i].late);
    result.tasks[i].blocking_ns = static_cast<uint64_t>(verdict.tasks[i].blocking);
    result.tasks[i].late_ns = static_cast<uint64_t>(verdict.tasks[i].late);
  }
  return result;
}

}  // namespace samcl::planning
