#include "analysis/locking/own_processor.h"

#include <algorithm>

#include "analysis/locking/exact_sum.h"

namespace samcl::analysis::locking {
namespace {

constexpr int64_t kMostSteps = 1'000'000;

// A window, the work with deadlines in it, and what may be under way when it begins.
Time excess(std::span<const WholeTask> tasks, size_t i, Time window) {
  Time work = 0, begun = 0;
  for (size_t j = 0; j < tasks.size(); ++j) {
    work += window / tasks[j].period * tasks[j].cost;
    if (j != i && tasks[j].period > window) begun = std::max(begun, tasks[j].cost);
  }
  return begun + work - window;
}

}  // namespace

std::optional<std::vector<Time>> own_processor_tardiness(std::span<const WholeTask> tasks) {
  ExactSum utilisation;
  Time longest_period = 0;
  for (const WholeTask& task : tasks) {
    utilisation.add(task.cost, task.period);
    longest_period = std::max(longest_period, task.period);
  }
  if (!utilisation.at_most(1)) return std::nullopt;
  int64_t steps = 0;
  for (const WholeTask& task : tasks) steps = std::min(kMostSteps + 1, steps + longest_period / task.period);
  std::vector<Time> late(tasks.size(), 0);
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (steps > kMostSteps) {
      for (size_t j = 0; j < tasks.size(); ++j)
        if (tasks[j].period > tasks[i].period) late[i] = std::max(late[i], tasks[j].cost);
      continue;
    }
    // Between two of its steps the work stays as it is.
    for (const WholeTask& other : tasks)
      for (Time window = other.period; window < longest_period; window += other.period)
        if (window >= tasks[i].period) late[i] = std::max(late[i], excess(tasks, i, window));
  }
  return late;
}

}  // namespace samcl::analysis::locking
