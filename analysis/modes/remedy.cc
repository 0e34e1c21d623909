#include "analysis/modes/remedy.h"

#include <algorithm>

namespace samcl::analysis {
namespace {

void scale(Task& task, int percent) {
  for (Time& time : task.work) time = std::max<Time>(1, time / 100 * percent + time % 100 * percent / 100);
  for (Stage& stage : task.stages) {
    for (Time& time : stage.worst) time = std::max<Time>(1, time / 100 * percent + time % 100 * percent / 100);
    for (Time& time : stage.between)
      time = std::max<Time>(stage.requests - 1, time / 100 * percent + time % 100 * percent / 100);
    for (size_t k = 0; k < stage.best.size(); ++k) stage.best[k] = std::min(stage.best[k], stage.worst[k]);
  }
}

// The greatest percent in 1..99 that is good, if any: by halves.
template <typename Good>
std::optional<int> greatest(Good good) {
  if (!good(1)) return std::nullopt;
  int low = 1, high = 100;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (good(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Remedy find_remedy(const TaskSet& set, Form form, ModePolicy policy, PriorityOrder order) {
  if (order.empty()) order = priority_order(set);
  const auto schedulable = [&](const TaskSet& changed) {
    return choose_modes(changed, form, policy, order).schedulable;
  };
  Remedy remedy;
  remedy.of_all = greatest([&](int percent) {
    TaskSet changed = set;
    for (Task& task : changed.tasks) scale(task, percent);
    return schedulable(changed);
  });
  for (size_t i = 0; i < set.tasks.size(); ++i)
    remedy.of_task.push_back(greatest([&](int percent) {
      TaskSet changed = set;
      scale(changed.tasks[i], percent);
      return schedulable(changed);
    }));
  return remedy;
}

}  // namespace samcl::analysis
