// Preemptive access to one GPU by runlist updates: PROOF.md, "Preemption".
#include "analysis/access/forms.h"
#include "analysis/access/window.h"

namespace samcl::analysis::access {
namespace {

// Which of a task's work is counted.
struct Counted {
  bool cpu = false;    // C
  bool misc = false;   // G^m and the updates
  bool pure = false;   // G^e
};

Time updates(const Task& task, Time update) {
  return 2 * update * task.count();
}

void preempts(const TaskSet& set, size_t task, Counted& counted) {
  counted.cpu = counted.misc = true;
  counted.pure = counted.pure || set.tasks[task].busy;
}

// Those on the task's CPU that are more urgent.
void count_local(const TaskSet& set, size_t task, std::vector<Counted>& counted) {
  for (size_t h = 0; h < task; ++h)
    if (set.tasks[h].cpu == set.tasks[task].cpu) preempts(set, h, counted[h]);
}

// Who may have the GPU while a task waits for it in a segment, and who may keep such a one from its CPU meanwhile.
void count_ahead(const TaskSet& set, size_t task, std::vector<Counted>& counted) {
  for (size_t y = 0; y < set.tasks.size(); ++y) {
    if (!set.tasks[y].uses_gpu() || set.tasks[y].gpu_rank >= set.tasks[task].gpu_rank) continue;
    counted[y].misc = counted[y].pure = true;
    count_local(set, y, counted);
  }
}

// What of the others' work may keep the i-th task waiting, and whether it can wait for the GPU, by itself or behind one
// that keeps its CPU.
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

Wide work(const Task& h, Time response, const Counted& counted, Time update, Wide window) {
  const Time amount = (counted.cpu ? h.cpu_time() : 0) + (counted.misc ? h.misc() + updates(h, update) : 0) +
                      (counted.pure ? h.pure() : 0);
  return workload(window, response, amount, h.period);
}

}  // namespace

Bound gcaps(const TaskSet& set, size_t i, const Responses& response, Time update) {
  const Task& task = set.tasks[i];
  std::vector<Counted> counted(set.tasks.size());
  const bool waits = count_others(set, i, counted);
  const Time own = task.cpu_time() + task.misc() + task.pure() + updates(task, update);
  const auto window = least_window(own, task.deadline - task.jitter, [&](Wide t) {
    Wide sum = own;
    for (size_t h = 0; h < set.tasks.size(); ++h) {
      const Task& other = set.tasks[h];
      if (h == i) continue;
      const bool local = other.cpu == task.cpu;
      if (counted[h].misc || counted[h].cpu) {
        sum += local && !other.uses_gpu() ? jobs_in(t, other.jitter, other.period) * other.cpu_time()
                                          : work(other, response[h], counted[h], update, t);
      } else if (other.uses_gpu() && (waits || local)) {
        const Wide all = workload(t, response[h], updates(other, update), other.period);
        sum += waits ? all : std::min<Wide>(all, update);
      }
    }
    return sum;
  });
  if (!window) return std::nullopt;
  return *window + task.jitter;
}

}  // namespace samcl::analysis::access
