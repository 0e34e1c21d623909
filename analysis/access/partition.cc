#include "analysis/access/partition.h"

namespace samcl::analysis::access {

std::optional<Modes> partition(const analysis::TaskSet& set, Analysis analysis) {
  Modes modes(set.tasks.size(), 1);
  for (;;) {
    const auto tasks = tasks_of(set, modes);
    if (!tasks || !check(*tasks, analysis, {})) return std::nullopt;
    const Bounds bounds = analyse(*tasks, analysis);
    if (bounds.schedulable) return modes;
    size_t late = 0;
    while (bounds.response[late] != kUnbounded) ++late;
    const analysis::Task& task = set.tasks[tasks->tasks[late].index];
    int& mode = modes[tasks->tasks[late].index];
    if (!tasks->tasks[late].uses_gpu() || mode >= task.largest_mode(set.platform)) return std::nullopt;
    ++mode;
  }
}

}  // namespace samcl::analysis::access
