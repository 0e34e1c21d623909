// Preemptive access to one GPU by runlist updates: PROOF.md, "Preemption".
#include <algorithm>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

// Which of a task's work is counted.
struct Counted {
  bool cpu = false;   // C
  bool misc = false;  // G^m and the updates
  bool pure = false;  // G^e
};

Time updates(const Task& task, Time update) { return 2 * update * task.count(); }

void preempts(const TaskSet& set, size_t task, Counted& counted) {
  counted.cpu = counted.misc = true;
  counted.pure = counted.pure || set.tasks[task].busy;
}

// Those on the task's CPU that are more urgent.
void count_local(const TaskSet& set, size_t task, std::vector<Counted>& counted) {
  for (size_t h = 0; h < task; ++h)
    if (set.tasks[h].cpu == set.tasks[task].cpu) preempts(set, h, counted[h]);
}

// Who may have the GPU while a task waits for it in a segment, and who may keep such a one from its CPU
// meanwhile.
void count_ahead(const TaskSet& set, size_t task, std::vector<Counted>& counted) {
  for (size_t y = 0; y < set.tasks.size(); ++y) {
    if (!set.tasks[y].uses_gpu() || set.tasks[y].gpu_rank >= set.tasks[task].gpu_rank) continue;
    counted[y].misc = counted[y].pure = true;
    count_local(set, y, counted);
  }
}

// What of the others' work may keep the i-th task waiting, and whether it can wait for the GPU, by itself or
// behind one that keeps its CPU.
bool count_others(const TaskSet& set, size_t i, std::vector<Counted>& counted) {
  count_local(set, i, counted);
  bool waits = false;
  for (size_t b = 0; b <= i; ++b) {
    const Task& task = set.tasks[b];
    if (!task.uses_gpu() || (b < i && (task.cpu != set.tasks[i].cpu || !task.busy))) continue;
    count_ahead(set, b, counted);
    waits = true;
  }
  counted[i] = {};
  return waits;
}

class Updates {
 public:
  Updates(const TaskSet& set, size_t i, const Responses& response, Time update)
      : set_(set), i_(i), response_(response), update_(update), counted_(set.tasks.size()) {
    waits_ = count_others(set, i, counted_);
  }

  Time own() const {
    const Task& task = set_.tasks[i_];
    return task.cpu_time() + task.misc() + task.pure() + updates(task, update_);
  }

  // What it and the others do in a window.
  Wide all(Wide window) const { return std::min(every_update(window), few_updates(window)); }

 private:
  bool counted(size_t h) const { return counted_[h].cpu || counted_[h].misc; }
  // One whose updates alone matter, since it is less urgent than all that do.
  bool behind(size_t h) const {
    const bool local = set_.tasks[h].cpu == set_.tasks[i_].cpu;
    return h != i_ && set_.tasks[h].uses_gpu() && !counted(h) && (waits_ || local);
  }
  // On a CPU, of those behind.
  Time behind_on(int cpu) const {
    Time count = 0;
    for (size_t h = 0; h < set_.tasks.size(); ++h) count += behind(h) && set_.tasks[h].cpu == cpu ? 1 : 0;
    return count;
  }

  Wide work(size_t h, Wide window, Time waiting) const {
    const Task& task = set_.tasks[h];
    if (task.cpu == set_.tasks[i_].cpu && !task.uses_gpu())
      return jobs_in(window, task.jitter, task.period) * task.cpu_time();
    const Time amount = (counted_[h].cpu ? task.cpu_time() : 0) +
                        (counted_[h].misc ? task.misc() + updates(task, update_) : 0) +
                        (counted_[h].pure ? task.pure() : 0) + waiting;
    return workload(window, response_[h], std::min(amount, response_[h]), task.period);
  }

  // With all updates of those behind.
  Wide every_update(Wide window) const {
    Wide sum = own();
    for (size_t h = 0; h < set_.tasks.size(); ++h) {
      const Task& task = set_.tasks[h];
      if (counted(h)) sum += work(h, window, 0);
      if (behind(h)) sum += workload(window, response_[h], updates(task, update_), task.period);
    }
    return sum;
  }

  // With as many of them as one can meet: at each request one under way, and in each stretch in which one
  // wants its CPU, one of each task there. Those who have the GPU meet them in their segments.
  Wide few_updates(Wide window) const {
    const Task& task = set_.tasks[i_];
    Wide sum = own() + Wide{update_} * (2 * task.count() + (1 + 3 * task.count()) * behind_on(task.cpu));
    for (size_t h = 0; h < set_.tasks.size(); ++h) {
      if (!counted(h)) continue;
      const Task& other = set_.tasks[h];
      sum += work(h, window, waits_ ? update_ * other.count() * (1 + 2 * behind_on(other.cpu)) : 0);
    }
    return sum;
  }

  const TaskSet& set_;
  const size_t i_;
  const Responses& response_;
  const Time update_;
  std::vector<Counted> counted_;
  bool waits_ = false;
};

}  // namespace

Bound gcaps(const TaskSet& set, size_t i, const Responses& response, Time update) {
  const Task& task = set.tasks[i];
  const Updates updates(set, i, response, update);
  const auto window = least_window(updates.own(), task.deadline - task.jitter, [&](Wide t) { return updates.all(t); });
  if (!window) return std::nullopt;
  return *window + task.jitter;
}

}  // namespace samcl::analysis::access
