#include "analysis/modes/transition.h"

#include <algorithm>

#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

// One task as it is used.
struct Used {
  const Task* task = nullptr;
  int mode = 1;
  std::vector<int> devices;
};

std::vector<Used> used_tasks(const ModalTasks& modal) {
  const Placement placement = place_devices(modal.set, priority_order(modal.set), modal.modes);
  std::vector<Used> all;
  for (size_t i = 0; i < modal.set.tasks.size(); ++i)
    all.push_back({&modal.set.tasks[i], modal.modes[i], placement[i]});
  return all;
}

// In every mode the same: only one is used.
template <typename Value>
std::vector<Value> in_all(const Platform& platform, Value value) {
  return std::vector<Value>(static_cast<size_t>(platform.gpus), value);
}

Stage fixed(const Platform& platform, const Stage& stage, int mode) {
  Stage one = stage;
  one.worst = in_all(platform, stage.worst_in(mode));
  one.best = in_all(platform, stage.best_in(mode));
  if (stage.requests > 1) one.between = in_all(platform, stage.between_in(mode));
  one.section.clear();
  if (stage.resource != Resource::cpu && !stage.whole_in(mode)) one.section = in_all(platform, stage.section_in(mode));
  if (!stage.host.empty()) one.host = in_all(platform, stage.host_in(mode));
  if (!stage.host_section.empty()) one.host_section = in_all(platform, stage.longest_host_in(mode));
  if (!stage.threads.empty()) one.threads = in_all(platform, stage.threads_in(mode));
  return one;
}

Stage longer(const Platform& platform, const Stage& a, const Stage& b) {
  Stage both = a;
  both.worst = in_all(platform, std::max(a.worst_in(1), b.worst_in(1)));
  both.best = in_all(platform, std::min(a.best_in(1), b.best_in(1)));
  both.section.clear();
  if (!a.section.empty() && !b.section.empty())
    both.section = in_all(platform, std::max(a.section_in(1), b.section_in(1)));
  both.requests = std::max(a.requests, b.requests);
  if (both.requests > 1)
    both.between = in_all(platform, std::max({a.between_in(1), b.between_in(1), Time{both.requests - 1}}));
  if (!a.host.empty() || !b.host.empty()) both.host = in_all(platform, std::max(a.host_in(1), b.host_in(1)));
  both.host_section.clear();
  if (!both.host.empty()) both.host_section = in_all(platform, std::max(a.longest_host_in(1), b.longest_host_in(1)));
  if (!a.threads.empty() || !b.threads.empty())
    both.threads = in_all(platform, std::max(a.threads_in(1), b.threads_in(1)));
  return both;
}

// The task in the mode at hand alone.
Task fixed(const Platform& platform, const Used& used) {
  Task task = *used.task;
  task.most_gpus = 0;
  task.devices = used.devices;
  if (!task.work.empty()) task.work = in_all(platform, task.work_in(used.mode));
  for (Stage& stage : task.stages) stage = fixed(platform, stage, used.mode);
  return task;
}

// Its mode.
int join(const Platform& platform, Task& task, const Used& before, int mode) {
  task.late = std::max(task.late, before.task->late);
  task.late_lease = std::max(task.late_lease, before.task->late_lease);
  const Time tolerated = std::max(task.tolerated(), before.task->tolerated());
  task.period = std::min(task.period, before.task->period);
  task.deadline = std::min(task.deadline, task.period);
  if (task.late > 0) task.early = tolerated;
  if (!task.work.empty() || !before.task->work.empty())
    task.work = in_all(platform, std::max(task.work_in(1), before.task->work_in(before.mode)));
  for (size_t j = 0; j < task.stages.size(); ++j)
    task.stages[j] = longer(platform, task.stages[j], fixed(platform, before.task->stages[j], before.mode));
  for (const int device : before.devices)
    if (std::find(task.devices.begin(), task.devices.end(), device) == task.devices.end())
      task.devices.push_back(device);
  const int most = std::max(mode, before.mode);
  return platform.bound ? std::max(most, static_cast<int>(task.devices.size())) : most;
}

// What is the same in both, or cannot be one task.
Result<void> check_joinable(const Task& before, const Task& after) {
  const std::string where = "task \"" + after.name + "\", ";
  if (before.priority != after.priority || (!after.priority && before.deadline != after.deadline))
    return fail(where + "priority: another one than before, expected the same");
  const bool same = std::equal(before.stages.begin(), before.stages.end(), after.stages.begin(), after.stages.end(),
                               [](const Stage& one, const Stage& other) { return one.resource == other.resource; });
  if (!same) return fail(where + "stages: others than before, expected the same resources in the same order");
  return {};
}

// What a job of the task does, one after the other.
Time work(const TaskSet& set, const Task& task, int mode) {
  Time sum = 0;
  for (const Stage& stage : task.stages)
    sum += set.platform.subtasks(stage, mode) * stage.worst_in(mode) + stage.threads_in(mode) * stage.between_in(mode);
  return sum;
}

}  // namespace

std::optional<Time> idle_within(const ModalTasks& tasks, std::span<const Time> besides) {
  std::vector<Time> works;
  double utilisation = 0;
  for (size_t i = 0; i < tasks.set.tasks.size(); ++i) {
    const Task& task = tasks.set.tasks[i];
    works.push_back(work(tasks.set, task, tasks.modes[i]) + besides[i]);
    utilisation += static_cast<double>(works.back()) / static_cast<double>(task.period);
  }
  if (utilisation >= 0.9999) return std::nullopt;  // nor would it be found soon
  Time length = 0;
  while (true) {
    Time next = 0;
    for (size_t i = 0; i < works.size(); ++i) {
      const Time period = tasks.set.tasks[i].period;
      const Time jobs = 1 + (length + period - 1) / period;  // one was under way
      if (works[i] > 0 && jobs > kLongest / works[i]) return std::nullopt;
      next += jobs * works[i];
      if (next > kLongest) return std::nullopt;
    }
    if (next == length) return length;
    length = next;
  }
}

Result<ModalTasks> either(const ModalTasks& before, const ModalTasks& after) {
  const Platform& platform = after.set.platform;
  const Platform& old = before.set.platform;
  if (platform.cpus != old.cpus || platform.links != old.links || platform.gpus != old.gpus ||
      platform.bound != old.bound)
    return fail("platform: another one than before, expected the same CPUs, links and GPUs");
  ModalTasks both;
  both.set.platform = platform;
  std::vector<Used> left = used_tasks(before);
  for (const Used& used : used_tasks(after)) {
    Task task = fixed(platform, used);
    int mode = used.mode;
    const auto known =
        std::find_if(left.begin(), left.end(), [&](const Used& entry) { return entry.task->name == task.name; });
    if (known != left.end()) {
      if (auto good = check_joinable(*known->task, task); !good) return tl::unexpected(good.error());
      mode = join(platform, task, *known, mode);
      left.erase(known);
    }
    both.set.tasks.push_back(std::move(task));
    both.modes.push_back(mode);
  }
  for (const Used& gone : left) {
    both.set.tasks.push_back(fixed(platform, gone));
    both.modes.push_back(gone.mode);
  }
  if (auto good = check(both.set); !good) return tl::unexpected(good.error());
  return both;
}

}  // namespace samcl::analysis
