#include "analysis/dag/chains.h"

namespace samcl::analysis::dag {
namespace {

class Chain {
 public:
  explicit Chain(const analysis::Task& task) : task_{task.name, task.period, task.deadline, {}} {}

  // Side by side, after all that was added before.
  void add(const std::string& name, Resource resource, Time worst, int count) {
    const size_t first = task_.vertices.size();
    for (int n = 0; n < count; ++n) {
      for (size_t before = last_; before < first; ++before) task_.edges.emplace_back(before, task_.vertices.size());
      task_.vertices.push_back({count == 1 ? name : name + "." + std::to_string(n + 1), resource, worst});
    }
    last_ = first;
  }

  Task task() && { return std::move(task_); }

 private:
  Task task_;
  size_t last_ = 0;  // the first vertex of those added last
};

}  // namespace

Result<TaskSet> chains(const analysis::TaskSet& set, std::span<const int> modes) {
  TaskSet result{set.platform, {}};
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    Chain chain(set.tasks[i]);
    for (size_t n = 0; n < set.tasks[i].stages.size(); ++n) {
      const Stage& stage = set.tasks[i].stages[n];
      const std::string number = std::to_string(n + 1);
      chain.add("stage " + number, stage.resource, stage.worst_in(modes[i]),
                set.platform.subtasks(stage.resource, modes[i]));
      if (stage.between_in(modes[i]) > 0) chain.add("between " + number, Resource::cpu, stage.between_in(modes[i]), 1);
    }
    result.tasks.push_back(std::move(chain).task());
  }
  if (auto good = check(result); !good) return tl::unexpected(good.error());
  return result;
}

}  // namespace samcl::analysis::dag
