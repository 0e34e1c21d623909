#include "analysis/locking/task_set.h"

#include <set>

#include "analysis/model/limits.h"

namespace samcl::analysis::locking {
namespace {

Result<void> check_time(const Task& task, const char* field, Time value, Time least, Time most,
                        const std::string& limits) {
  if (value >= least && value <= most) return {};
  return fail("task \"" + task.name + "\", " + field + ": " + std::to_string(value) + " ns, expected " + limits);
}

Result<void> check(const Task& task) {
  const std::string where = "task \"" + task.name + "\", ";
  if (auto good = within(where + "period", task.period, 1, kLongest); !good) return good;
  if (auto good = within(where + "cpu", task.cpu, 0, kLongest); !good) return good;
  if (auto good = within(where + "gpu", task.gpu, 0, kLongest); !good) return good;
  if (task.execution() == 0) return fail("task \"" + task.name + "\", cpu and gpu: both 0, expected some work");
  if (!task.uses_gpu()) return check_time(task, "critical_section", task.section, 0, 0, "0 where gpu is 0");
  return check_time(task, "critical_section", task.section, task.gpu, task.execution(),
                    "gpu to cpu + gpu, " + std::to_string(task.gpu) + " to " + std::to_string(task.execution()));
}

Result<void> check_parts(const TaskSet& set, const Task& task) {
  if (!task.uses_gpu()) return check_time(task, "gpu", static_cast<Time>(task.on_parts.size()), 0, 0, "no list");
  const auto parts = static_cast<size_t>(set.parts);
  if (task.on_parts.size() != (parts > 1 ? parts : 0))
    return fail("task \"" + task.name + "\", gpu: " + std::to_string(task.on_parts.size()) +
                " times in a list, expected " +
                (parts > 1 ? std::to_string(parts) + ", one for each number of parts" : "none"));
  if (parts == 1) return {};
  if (task.section != task.gpu)
    return check_time(task, "critical_section", task.section, task.gpu, task.gpu,
                      "that on all parts: nobody copies while having parts");
  for (size_t n = 1; n < parts; ++n)
    if (task.on_parts[n] > task.on_parts[n - 1] || task.on_parts[n] < 1)
      return fail("task \"" + task.name + "\", gpu: " + std::to_string(task.on_parts[n]) + " ns on " +
                  std::to_string(n + 1) + " parts, expected 1 to " + std::to_string(task.on_parts[n - 1]) +
                  ", the time on one less");
  if (task.on_parts.back() != task.gpu)
    return check_time(task, "gpu", task.gpu, task.on_parts.back(), task.on_parts.back(), "the time on all parts");
  if (auto good = within("task \"" + task.name + "\", gpu", task.on_parts.front(), 1, kLongest); !good) return good;
  if (set.slice > 0 && task.on_parts.front() >= set.slice)
    return check_time(task, "gpu", task.on_parts.front(), 1, set.slice - 1,
                      "less than the slice, " + std::to_string(set.slice));
  return {};
}

}  // namespace

Result<void> check(const TaskSet& set) {
  for (const auto& [field, value] : {std::pair{"cpus", set.cpus}, {"gpus", set.gpus}, {"parts", set.parts}})
    if (auto good = within(std::string("platform, ") + field, value, 1, kMaxElements, ""); !good) return good;
  if (set.parts > 1 && set.gpus > 1)
    return fail("platform, gpus: " + std::to_string(set.gpus) + ", expected 1 where it has parts");
  if (set.slice < 0 || set.slice > kLongest || (set.slice > 0 && set.parts == 1))
    return fail("platform, slice: " + std::to_string(set.slice) + " ns, expected " +
                (set.parts == 1 ? "none without parts" : "0 to " + std::to_string(kLongest)));
  if (set.tasks.size() > kMostTasks)
    return fail("tasks: " + std::to_string(set.tasks.size()) + ", expected at most " + std::to_string(kMostTasks));
  std::set<std::string> names;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (set.tasks[i].name.empty()) return fail("task " + std::to_string(i + 1) + ", name: empty");
    if (!names.insert(set.tasks[i].name).second)
      return fail("task \"" + set.tasks[i].name + "\", name: another task has it too");
    if (auto good = check(set.tasks[i]); !good) return good;
    if (auto good = check_parts(set, set.tasks[i]); !good) return good;
  }
  return {};
}

double effective_utilisation(const Task& task, double speed_up) {
  const auto outside = static_cast<double>(task.execution() - task.section);
  return (outside + speed_up * static_cast<double>(task.section)) / static_cast<double>(task.period);
}

double effective_utilisation(const TaskSet& set, double speed_up) {
  double sum = 0;
  for (const Task& task : set.tasks) sum += effective_utilisation(task, speed_up);
  return sum;
}

}  // namespace samcl::analysis::locking
