#include "analysis/access/tasks.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis::access {
namespace {

Result<Task> task_of(const analysis::Task& given, int mode) {
  Task task;
  task.name = given.name;
  task.period = given.period;
  task.deadline = given.deadline;
  task.jitter = given.jitter;
  task.offset = given.offset;
  task.cpu = given.cpu.value_or(0);
  task.busy = given.busy_waits;
  task.between = {0};
  bool in_segment = false;
  for (size_t j = 0; j < given.stages.size(); ++j) {
    const Stage& stage = given.stages[j];
    if (stage.requests > 1)
      return fail(name_of(given, j) + ", requests: " + std::to_string(stage.requests) +
                  ", expected 1: write each as a stage");
    const Time worst = stage.worst_in(mode), host = stage.host_in(mode);
    if (stage.resource == Resource::cpu) {
      task.between.back() += worst;
      in_segment = false;
      continue;
    }
    if (!in_segment) {
      task.segments.emplace_back();
      task.between.push_back(0);
      in_segment = true;
    }
    task.segments.back().misc += host;
    task.segments.back().pure += worst - host;
  }
  return task;
}

// Distinct, by the given priorities; a task without one keeps its place among the others.
void rank_on_gpu(const analysis::TaskSet& set, TaskSet& result) {
  std::vector<size_t> order(result.tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return set.tasks[result.tasks[a].index].gpu_priority.value_or(0) >
           set.tasks[result.tasks[b].index].gpu_priority.value_or(0);
  });
  for (size_t rank = 0; rank < order.size(); ++rank) result.tasks[order[rank]].gpu_rank = static_cast<int>(rank);
}

Result<void> check_gpu_priorities(const analysis::TaskSet& set, const TaskSet& result) {
  for (const analysis::Task& task : set.tasks)
    if (task.gpu_priority.has_value() != set.tasks.front().gpu_priority.has_value())
      return fail("task \"" + task.name + "\", gpu_priority: " + (task.gpu_priority ? "given" : "missing") +
                  ", expected for all tasks or for none");
  for (size_t h = 0; h < result.tasks.size(); ++h)
    for (size_t i = h + 1; i < result.tasks.size(); ++i) {
      const Task &above = result.tasks[h], &below = result.tasks[i];
      if (above.cpu == below.cpu && above.uses_gpu() && below.uses_gpu() && above.gpu_rank > below.gpu_rank)
        return fail("task \"" + below.name + "\", gpu_priority: above that of \"" + above.name +
                    "\", which is more urgent on their CPU; expected the same order, else both may wait for ever");
    }
  return {};
}

// The device of every task.
Result<int> place(const analysis::TaskSet& set, std::span<const int> modes, TaskSet& result) {
  const Platform& platform = set.platform;
  if (!platform.bound && platform.gpus > 1) {
    int units = 0, devices = 0;
    for (Task& task : result.tasks)
      if (task.uses_gpu()) {
        units += modes[task.index];
        task.device = devices++;
      }
    if (units > platform.gpus)
      return fail("the tasks' modes add up to " + std::to_string(units) + ", expected at most platform.gpus, " +
                  std::to_string(platform.gpus) + ": where GPUs are not bound, each task has its own");
    return std::max(1, devices);
  }
  for (Task& task : result.tasks) {
    const analysis::Task& given = set.tasks[task.index];
    if (platform.bound && task.uses_gpu()) {
      if (given.devices.empty()) return fail("task \"" + given.name + "\", devices: none, expected the one it uses");
      task.device = given.devices.front();
    }
    if (modes[task.index] > 1)
      return fail("task \"" + given.name + "\", mode: " + std::to_string(modes[task.index]) +
                  ", expected 1: a segment uses one device");
  }
  return platform.gpus;
}

template <typename Part>
Time longest(const std::vector<Segment>& segments, Part part) {
  Time most = 0;
  for (const Segment& segment : segments) most = std::max(most, part(segment));
  return most;
}

}  // namespace

Time Task::cpu_time() const { return std::accumulate(between.begin(), between.end(), Time{0}); }
Time Task::misc() const {
  return std::accumulate(segments.begin(), segments.end(), Time{0},
                         [](Time sum, const Segment& s) { return sum + s.misc; });
}
Time Task::pure() const {
  return std::accumulate(segments.begin(), segments.end(), Time{0},
                         [](Time sum, const Segment& s) { return sum + s.pure; });
}
Time Task::longest_misc() const {
  return longest(segments, [](const Segment& s) { return s.misc; });
}
Time Task::longest_segment() const {
  return longest(segments, [](const Segment& s) { return s.misc + s.pure; });
}

Result<TaskSet> tasks_of(const analysis::TaskSet& set, std::span<const int> modes) {
  TaskSet result;
  result.cpus = set.platform.cpus;
  for (const size_t index : priority_order(set)) {
    auto task = task_of(set.tasks[index], modes[index]);
    if (!task) return tl::unexpected(task.error());
    task->index = index;
    result.tasks.push_back(std::move(*task));
  }
  const auto devices = place(set, modes, result);
  if (!devices) return tl::unexpected(devices.error());
  result.devices = *devices;
  rank_on_gpu(set, result);
  if (auto good = check_gpu_priorities(set, result); !good) return tl::unexpected(good.error());
  return result;
}

}  // namespace samcl::analysis::access
