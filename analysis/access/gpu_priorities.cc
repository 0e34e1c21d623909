#include "analysis/access/gpu_priorities.h"

#include <algorithm>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

class Search {
 public:
  Search(TaskSet set, Analysis analysis, Time update) : set_(std::move(set)), analysis_(analysis), update_(update) {
    for (size_t i = 0; i < set_.tasks.size(); ++i) {
      deadlines_.push_back(set_.tasks[i].deadline);
      if (!has_rank(i)) continue;
      waiting_.push_back(i);
      ranks_.push_back(set_.tasks[i].gpu_rank);  // those that have none keep theirs
    }
    std::sort(ranks_.begin(), ranks_.end());
  }

  bool find() {
    while (!waiting_.empty())
      if (!place_one()) return false;
    return true;
  }

  const TaskSet& set() const { return set_; }

 private:
  // Gives the least urgent rank that is left to one of those that wait for theirs.
  bool place_one() {
    for (size_t n = waiting_.size(); n-- > 0;) {
      const size_t task = waiting_[n];
      if (!is_last_of_its_cpu(n)) continue;
      const auto place = waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(n));
      for (size_t ahead = 0; ahead < waiting_.size(); ++ahead) set_.tasks[waiting_[ahead]].gpu_rank = ranks_[ahead];
      set_.tasks[task].gpu_rank = ranks_[waiting_.size()];
      if (in_time(task)) return true;
      waiting_.insert(place, task);
    }
    return false;
  }

  bool is_last_of_its_cpu(size_t n) const {
    return std::none_of(waiting_.begin() + static_cast<std::ptrdiff_t>(n) + 1, waiting_.end(),
                        [&](size_t other) { return set_.tasks[other].cpu == set_.tasks[waiting_[n]].cpu; });
  }

  // By the paper a task without a segment has one, too: it says who delays those that keep their CPU from it.
  bool has_rank(size_t i) const { return analysis_ == Analysis::gcaps_published || set_.tasks[i].uses_gpu(); }

  bool in_time(size_t task) const {
    if (analysis_ == Analysis::gcaps_published) return gcaps_published(set_, task, deadlines_, update_).has_value();
    // And those without a rank that it may keep from their CPU while it waits.
    for (size_t i = task; i < set_.tasks.size(); ++i)
      if (i == task || (set_.tasks[i].cpu == set_.tasks[task].cpu && !has_rank(i)))
        if (!gcaps(set_, i, deadlines_, update_)) return false;
    return true;
  }

  TaskSet set_;
  Analysis analysis_;
  Time update_;
  Responses deadlines_;
  std::vector<int> ranks_;
  std::vector<size_t> waiting_;  // for a rank: the most urgent on their CPUs first
};

}  // namespace

std::optional<TaskSet> with_gpu_priorities(TaskSet set, Analysis analysis, const Costs& costs) {
  if (analyse(set, analysis, costs).schedulable) return set;
  Search search(std::move(set), analysis, costs.update);
  if (!search.find() || !analyse(search.set(), analysis, costs).schedulable) return std::nullopt;
  return search.set();
}

}  // namespace samcl::analysis::access
