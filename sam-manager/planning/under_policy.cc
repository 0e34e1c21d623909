#include "sam-manager/planning/under_policy.h"

#include <algorithm>

#include "analysis/locking/own_processor.h"
#include "analysis/locking/requests.h"
#include "analysis/locking/shared_resource.h"

namespace samcl::planning {

using analysis::Resource;
using analysis::Time;
using analysis::locking::Protocol;
using analysis::locking::RequestingTask;
using analysis::locking::RequestOrder;
using analysis::locking::ResourceUse;
using analysis::locking::SharedResourceTask;
using analysis::locking::SharedResourceVerdict;
using analysis::locking::WholeTask;

namespace {

RequestOrder order_of(const scheduler::Policy& policy) {
  if (policy.places == 0) return RequestOrder::any;
  return policy.places == SIZE_MAX ? RequestOrder::arrival : RequestOrder::omlp;
}

size_t resource_of(Resource kind, int device) {
  return 2 * static_cast<size_t>(device) + (kind == Resource::link ? 1 : 0);
}

// Sections of the programs that no profile tells of, which give way to tasks, before all requests of a job.
Time others_sections(const PlacedTasks& all, const analysis::Task& task) {
  const auto longest = [&](Resource kind) {
    Time longest = 0;
    for (const analysis::Task& other : all.set.tasks)
      for (const analysis::Stage& stage : other.stages)
        if (all.is_others(other.name) && stage.resource == kind) longest = std::max(longest, stage.worst_in(1));
    return longest;
  };
  Time sum = 0;
  for (const analysis::Stage& stage : task.stages)
    if (stage.resource != Resource::cpu) sum += stage.requests * longest(stage.resource);
  return sum;
}

RequestingTask requesting(const PlacedTasks& all, const analysis::Task& task, int device) {
  RequestingTask converted{task.name, task.deadline, 0, others_sections(all, task), {}};
  for (const analysis::Stage& stage : task.stages) {
    converted.execution += stage.length_in(1);
    if (stage.resource == Resource::cpu) continue;
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

// What a job spends on having a GPU to itself, besides its stages' own requests.
Time own_gpu(const PlacedTasks& all, const analysis::Task& task) {
  const bool uses_gpu = std::any_of(task.stages.begin(), task.stages.end(),
                                    [](const analysis::Stage& stage) { return stage.resource != Resource::cpu; });
  return uses_gpu ? others_sections(all, task) + all.handovers.per_request() : 0;
}

// What it does with a GPU counts as the GPU's time.
analysis::locking::Task locking(const PlacedTasks& all, const analysis::Task& task) {
  analysis::locking::Task converted{task.name, task.deadline, 0, own_gpu(all, task), critical_section(all, task)};
  for (const analysis::Stage& stage : task.stages) {
    const Time on_gpu = stage.resource == Resource::cpu ? 0 : stage.worst_in(1);
    converted.gpu += on_gpu;
    converted.cpu += stage.length_in(1) - on_gpu;
  }
  return converted;
}

// Why the policy's analysis does not apply to a task; "" if it does.
std::string obstacle(const scheduler::Policy& policy, const PlacedTasks& tasks, size_t i) {
  const analysis::Task& task = tasks.set.tasks[i];
  const auto gpus = static_cast<size_t>(tasks.set.platform.gpus);
  if (policy.candidates > 0 && !task.devices.empty() && task.devices.size() < gpus)
    return "task \"" + task.name + "\" may use " + std::to_string(task.devices.size()) + " of " + std::to_string(gpus) +
           " GPUs, and the analysis of " + policy.name + " knows tasks that may use any";
  if (policy.contains && tasks.set.platform.gpus > tasks.set.platform.cpus)
    return "the containers of " + std::to_string(gpus) + " GPUs need a CPU each, and there are " +
           std::to_string(tasks.set.platform.cpus);
  if (policy.candidates == 0 && tasks.modes[i] > 1)
    return "task \"" + task.name + "\" uses " + std::to_string(tasks.modes[i]) + " GPUs at once, and the analysis of " +
           policy.name + " knows tasks on one (modes = \"single\")";
  for (const analysis::Stage& stage : task.stages)
    if (stage.threads_in(1) > 1)
      return "task \"" + task.name + "\" computes in several threads at once, and the analysis of " + policy.name +
             " knows tasks of one";
  return "";
}

using Found = Result<std::vector<SharedResourceTask>>;

Found analyse_together(const scheduler::Policy& policy, const PlacedTasks& all) {
  const auto& platform = all.set.platform;
  std::vector<RequestingTask> tasks;
  analysis::locking::TaskSet exclusive{platform.cpus, platform.gpus, {}};
  for (size_t i = 0; i < all.set.tasks.size(); ++i) {
    const analysis::Task& task = all.set.tasks[i];
    if (all.is_others(task.name)) continue;
    const int device = all.devices[i].empty() ? 0 : all.devices[i].front();
    tasks.push_back(requesting(all, task, device));
    exclusive.tasks.push_back(locking(all, task));
  }
  if (policy.candidates > 0)
    if (auto good = analysis::locking::check(exclusive); !good) return tl::unexpected(good.error());
  SharedResourceVerdict verdict = policy.candidates > 0
                                      ? analysis::locking::analyse_shared_resource(exclusive, Protocol::donation)
                                      : analysis::locking::analyse_requests(tasks, platform.cpus, order_of(policy));
  if (verdict.too_long)
    return fail("task \"" + tasks[*verdict.too_long].name +
                "\" executes and waits for others' requests for longer than its deadline");
  if (!verdict.fits)
    return fail("what tasks execute and wait for each other is more than " + std::to_string(platform.cpus) +
                " CPUs can do");
  return std::move(verdict.tasks);
}

// Each GPU's tasks by themselves.
Found analyse_containers(const PlacedTasks& all) {
  std::vector<SharedResourceTask> found;
  std::vector<WholeTask> jobs;
  std::vector<std::vector<size_t>> containers(static_cast<size_t>(all.set.platform.gpus));
  for (size_t i = 0; i < all.set.tasks.size(); ++i) {
    const analysis::Task& task = all.set.tasks[i];
    if (all.is_others(task.name)) continue;
    containers[static_cast<size_t>(all.devices[i].empty() ? 0 : all.devices[i].front())].push_back(found.size());
    jobs.push_back({task.deadline, locking(all, task).execution()});
    found.push_back({0, jobs.back().cost, 0});
  }
  for (size_t gpu = 0; gpu < containers.size(); ++gpu) {
    std::vector<WholeTask> tasks;
    for (const size_t i : containers[gpu]) tasks.push_back(jobs[i]);
    const auto late = analysis::locking::own_processor_tardiness(tasks);
    if (!late) return fail("the jobs of device " + std::to_string(gpu) + " are more than its container can do");
    for (size_t n = 0; n < tasks.size(); ++n) found[containers[gpu][n]].late = (*late)[n];
  }
  return found;
}

}  // namespace

Time critical_section(const PlacedTasks& tasks, const analysis::Task& task) {
  Time section = own_gpu(tasks, task);
  bool has_begun = false;
  for (const analysis::Stage& stage : task.stages) {
    has_begun = has_begun || stage.resource != Resource::cpu;
    if (has_begun) section += stage.length_in(1);
  }
  return section;
}

UnderPolicy bounds_under(const scheduler::Policy& policy, const PlacedTasks& tasks) {
  UnderPolicy result;
  result.policy = policy.name;
  result.estimate = "that all jobs are marked, and programs compute in these alone, is not enforced";
  std::vector<Time> deadlines;
  for (size_t i = 0; i < tasks.set.tasks.size(); ++i) {
    if (tasks.is_others(tasks.set.tasks[i].name)) continue;
    result.tasks.push_back({tasks.set.tasks[i].name, std::nullopt});
    deadlines.push_back(tasks.set.tasks[i].deadline);
    if (result.problem.empty()) result.problem = obstacle(policy, tasks, i);
  }
  if (!result.problem.empty()) return result;
  const Found found = policy.contains ? analyse_containers(tasks) : analyse_together(policy, tasks);
  if (!found) {
    result.problem = found.error().message;
    return result;
  }
  for (size_t i = 0; i < result.tasks.size(); ++i) {
    const SharedResourceTask& known = (*found)[i];
    result.tasks[i].bound_ns = static_cast<uint64_t>(deadlines[i] + known.late);
    result.tasks[i].blocking_ns = static_cast<uint64_t>(known.blocking);
    result.tasks[i].late_ns = static_cast<uint64_t>(known.late);
  }
  return result;
}

}  // namespace samcl::planning
