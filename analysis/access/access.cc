#include "analysis/access/access.h"

#include <algorithm>
#include <functional>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

using Form = std::function<Bound(size_t, const Responses&)>;

// Bounds from the most urgent down, again as long as the others' make one better: what holds with all
// deadlines met holds with all bounds kept.
Bounds settle(const TaskSet& set, const Form& bound) {
  Bounds bounds;
  Responses known;
  for (const Task& task : set.tasks) known.push_back(task.deadline);
  for (bool better = true; better;) {
    better = false;
    bounds.schedulable = true;
    bounds.response.assign(set.tasks.size(), kUnbounded);
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      const Bound response = bound(i, known);
      if (!response) {
        bounds.schedulable = false;
        continue;
      }
      bounds.response[i] = *response;
      better = better || *response < known[i];
      known[i] = *response;
    }
    if (!bounds.schedulable) return bounds;
  }
  return bounds;
}

bool needs_own_device(Analysis analysis) {
  return analysis == Analysis::oblivious || analysis == Analysis::jitter || analysis == Analysis::blocking ||
         analysis == Analysis::unified;
}

Result<void> check_devices(const TaskSet& set, Analysis analysis) {
  std::vector<const Task*> user(static_cast<size_t>(set.devices), nullptr);
  const Task* first = nullptr;
  const std::string why = " for " + std::string(name(analysis));
  for (const Task& task : set.tasks) {
    if (!task.uses_gpu()) continue;
    const Task*& other = user[static_cast<size_t>(task.device)];
    if (needs_own_device(analysis) && other)
      return fail("task \"" + task.name + "\", devices: that of \"" + other->name + "\" too, expected its own" + why);
    const bool one = analysis == Analysis::gcaps || is_published(analysis);
    if (one && first && first->device != task.device)
      return fail("task \"" + task.name + "\", devices: not that of \"" + first->name + "\", expected one device" +
                  why);
    if (is_published(analysis) && analysis != Analysis::gcaps_published && first && first->gpu_rank > task.gpu_rank)
      return fail("task \"" + task.name + "\", gpu_priority: expected the order of the CPUs' priorities" + why);
    if (analysis == Analysis::server_published && task.busy)
      return fail("task \"" + task.name + "\", busy_waits: expected false" + why);
    if (is_published(analysis) && first && first->busy != task.busy)
      return fail("task \"" + task.name + "\", busy_waits: expected the same of all tasks that use the GPU" + why);
    other = first = &task;
  }
  return {};
}

// The analysis' bound of one task of the set, which outlives it.
Form form_of(const TaskSet& set, Analysis analysis, const Costs& costs) {
  const SuspendingTasks tasks =
      analysis == Analysis::round_robin ? round_robin(set, costs.slice, costs.switching) : dedicated(set);
  Lock rules;
  rules.fifo = analysis == Analysis::fmlp;
  if (analysis == Analysis::server) rules = {false, costs.server_cpu, 2 * costs.update};
  return [=, &set](size_t i, const Responses& known) -> Bound {
    switch (analysis) {
      case Analysis::gcaps: return gcaps(set, i, known, costs.update);
      case Analysis::gcaps_published: return gcaps_published(set, i, known, costs.update);
      case Analysis::mpcp_published: return mpcp_published(set, i, known);
      case Analysis::fmlp_published: return fmlp_published(set, i, known);
      case Analysis::server_published: return server_published(set, i, known, costs.update, costs.server_cpu);
      case Analysis::mpcp:
      case Analysis::fmlp:
      case Analysis::server: return lock(set, i, known, rules);
      case Analysis::round_robin:
      case Analysis::jitter: return jitter(tasks, i, known);
      case Analysis::oblivious: return oblivious(tasks, i);
      case Analysis::blocking: return blocking(tasks, i);
      case Analysis::unified: return unified(tasks, i, known);
    }
    return std::nullopt;
  };
}

}  // namespace

bool is_published(Analysis analysis) {
  return analysis == Analysis::gcaps_published || analysis == Analysis::mpcp_published ||
         analysis == Analysis::fmlp_published || analysis == Analysis::server_published;
}

const char* name(Analysis analysis) {
  constexpr const char* kNames[] = {"gcaps",       "gcaps-published", "mpcp",   "mpcp-published",
                                    "fmlp+",       "fmlp+-published", "server", "server-published",
                                    "round-robin", "oblivious",       "jitter", "blocking",
                                    "unified"};
  return kNames[static_cast<size_t>(analysis)];
}

Result<void> check(const TaskSet& set, Analysis analysis, const Costs& costs) {
  const std::string why = " for " + std::string(name(analysis));
  if ((analysis == Analysis::server || analysis == Analysis::server_published) &&
      (costs.server_cpu < 0 || costs.server_cpu >= set.cpus))
    return fail("the server's CPU: " + std::to_string(costs.server_cpu) + ", expected 0 to " +
                std::to_string(set.cpus - 1));
  const bool no_jitter = analysis == Analysis::blocking || analysis == Analysis::unified || is_published(analysis);
  for (const Task& task : set.tasks) {
    const std::string where = "task \"" + task.name + "\", ";
    if (task.deadline > task.period && analysis != Analysis::oblivious)
      return fail(where + "deadline: " + std::to_string(task.deadline) + " ns, expected at most the period, " +
                  std::to_string(task.period) + "," + why);
    if (task.jitter > 0 && no_jitter)
      return fail(where + "jitter: " + std::to_string(task.jitter) + " ns, expected 0" + why);
  }
  return check_devices(set, analysis);
}

Bounds analyse(const TaskSet& set, Analysis analysis, const Costs& costs) {
  return settle(set, form_of(set, analysis, costs));
}

std::vector<Time> beyond_proof(const TaskSet& set, const Bounds& bounds, Analysis analysis, const Costs& costs) {
  std::vector<Time> numbers(set.tasks.size(), kUnbounded);
  Responses known;
  for (size_t i = 0; i < set.tasks.size(); ++i) known.push_back(std::min(bounds.response[i], set.tasks[i].deadline));
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (bounds.response[i] != kUnbounded) continue;
    TaskSet longer = set;
    longer.tasks[i].deadline = kLimit * set.tasks[i].period;
    numbers[i] = form_of(longer, analysis, costs)(i, known).value_or(kUnbounded);
  }
  return numbers;
}

}  // namespace samcl::analysis::access
