#include "analysis/locking/task_set.h"

#include <set>

namespace samcl::analysis::locking {
namespace {

Result<void> check_time(const Task& task, const char* field, Time value, Time least, Time most,
                        const std::string& limits) {
  if (value >= least && value <= most) return {};
  return fail("task \"" + task.name + "\", " + field + ": " + std::to_string(value) + " ns, expected " + limits);
}

Result<void> check(const Task& task) {
  const std::string longest = std::to_string(kLongest);
  if (auto good = check_time(task, "period", task.period, 1, kLongest, "1 to " + longest); !good) return good;
  if (auto good = check_time(task, "cpu", task.cpu, 0, kLongest, "0 to " + longest); !good) return good;
  if (auto good = check_time(task, "gpu", task.gpu, 0, kLongest, "0 to " + longest); !good) return good;
  if (task.execution() == 0) return fail("task \"" + task.name + "\", cpu and gpu: both 0, expected some work");
  if (!task.uses_gpu()) return check_time(task, "critical_section", task.section, 0, 0, "0 where gpu is 0");
  return check_time(task, "critical_section", task.section, task.gpu, task.execution(),
                    "gpu to cpu + gpu, " + std::to_string(task.gpu) + " to " + std::to_string(task.execution()));
}

Result<void> check_elements(const char* field, int value) {
  if (value >= 1 && value <= kMaxElements) return {};
  return fail("platform, " + std::string(field) + ": " + std::to_string(value) + ", expected 1 to " +
              std::to_string(kMaxElements));
}

}  // namespace

Result<void> check(const TaskSet& set) {
  if (auto good = check_elements("cpus", set.cpus); !good) return good;
  if (auto good = check_elements("gpus", set.gpus); !good) return good;
  if (set.tasks.size() > kMostTasks)
    return fail("tasks: " + std::to_string(set.tasks.size()) + ", expected at most " + std::to_string(kMostTasks));
  std::set<std::string> names;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (set.tasks[i].name.empty()) return fail("task " + std::to_string(i + 1) + ", name: empty");
    if (!names.insert(set.tasks[i].name).second)
      return fail("task \"" + set.tasks[i].name + "\", name: another task has it too");
    if (auto good = check(set.tasks[i]); !good) return good;
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
