#include "analysis/exchange/np_jobs.h"

#include <numeric>

namespace samcl::analysis {
namespace {

constexpr Time kMostJobs = 100'000;

Result<void> check_task(const TaskSet& set, const Task& task, int mode) {
  const std::string who = "task \"" + task.name + "\", ";
  if (task.stages.size() != 1) return fail(who + "stages: expected one, of a non-preemptive job");
  const Stage& stage = task.stages.front();
  if (stage.resource != set.tasks.front().stages.front().resource)
    return fail(who + "resource: expected that of the first task");
  if (!stage.whole() || stage.requests > 1)
    return fail(who + "expected a PCI or GPU stage that is never cut, with one request");
  if (set.platform.subtasks(stage.resource, mode) > 1) return fail(who + "mode: expected 1");
  return {};
}

}  // namespace

Result<std::string> format_np_jobs(const TaskSet& set, std::span<const int> modes) {
  if (set.platform.bound) return fail("platform, bound: expected false");
  Time hyperperiod = 1, jobs = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (auto good = check_task(set, set.tasks[i], modes[i]); !good) return tl::unexpected(good.error());
    const Time factor = set.tasks[i].period / std::gcd(hyperperiod, set.tasks[i].period);
    if (hyperperiod > kLongest / factor) return fail("the hyperperiod is too long, expected periods with a small one");
    hyperperiod *= factor;
  }
  for (const Task& task : set.tasks) jobs += hyperperiod / task.period;
  if (jobs > kMostJobs)
    return fail(std::to_string(jobs) + " jobs in a hyperperiod, expected at most " + std::to_string(kMostJobs));
  std::vector<size_t> rank(set.tasks.size());
  const PriorityOrder order = priority_order(set);
  for (size_t n = 0; n < order.size(); ++n) rank[order[n]] = n + 1;
  std::string csv = "Task ID,Job ID,Release min,Release max,Cost min,Cost max,Deadline,Priority\n";
  size_t job = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    for (Time release = 0; release < hyperperiod; release += task.period) {
      const Time fields[] = {static_cast<Time>(i + 1),
                             static_cast<Time>(++job),
                             release,
                             release,
                             task.stages[0].best_in(modes[i]),
                             task.stages[0].worst_in(modes[i]),
                             release + task.deadline,
                             static_cast<Time>(rank[i])};
      for (const Time& field : fields) csv += std::to_string(field) + (&field == &fields[7] ? "\n" : ",");
    }
  }
  return csv;
}

}  // namespace samcl::analysis
