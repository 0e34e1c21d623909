// A device is held for a whole segment: PROOF.md, "Locks".
#include <algorithm>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

// A task as a lock sees it.
struct Holder {
  Time boosted = 0;          // per job, on the CPU above all that hold nothing
  Time pure = 0;             // per job, without a CPU
  Time longest_boosted = 0;  // of a segment
  Time longest = 0;          // a segment
  int cpu = 0;               // where it is boosted
};

Holder holder(const Task& task, const Lock& rules) {
  Holder h;
  h.boosted = task.misc() + rules.handling * task.count() + (task.busy ? task.pure() : 0);
  h.pure = task.busy ? 0 : task.pure();
  h.longest = task.uses_gpu() ? task.longest_segment() + rules.handling : 0;
  h.longest_boosted = task.busy ? h.longest : task.uses_gpu() ? task.longest_misc() + rules.handling : 0;
  h.cpu = rules.server.value_or(task.cpu);
  return h;
}

class Waiting {
 public:
  Waiting(const TaskSet& set, size_t i, const Responses& response, const Lock& rules)
      : set_(set), task_(set.tasks[i]), i_(i), response_(response), rules_(rules) {
    for (const Task& task : set.tasks) holders_.push_back(holder(task, rules));
  }

  Wide own() const { return Wide{task_.cpu_time()} + holders_[i_].boosted + holders_[i_].pure; }

  // Of all others in a window.
  Wide others(Wide window) const {
    Wide sum = 0, behind_all = 0, behind_local = 0;
    Time longest = 0;
    for (size_t y = 0; y < set_.tasks.size(); ++y) {
      if (y == i_) continue;
      if (!shares(y)) {
        sum += elsewhere(y, window);
      } else if (rules_.fifo) {
        sum += in_turn(y, window);
      } else if (set_.tasks[y].gpu_rank < task_.gpu_rank) {
        sum += work(y, window, preempts(y), true, true);
      } else {
        behind_all += work(y, window, false, true, true);
        behind_local += at_home(y, window);
        longest = std::max(longest, holders_[y].longest);
      }
    }
    return sum + std::min(behind_all, behind_local + Wide{task_.count()} * longest);
  }

 private:
  bool preempts(size_t y) const { return y < i_ && set_.tasks[y].cpu == task_.cpu; }
  bool shares(size_t y) const {
    return task_.uses_gpu() && set_.tasks[y].uses_gpu() && set_.tasks[y].device == task_.device;
  }
  // Boosted on the task's CPU.
  bool boosted_here(size_t y) const { return set_.tasks[y].uses_gpu() && holders_[y].cpu == task_.cpu; }
  // Of another device, and able to keep a holder of the task's device from its CPU.
  bool delays_holders(size_t y) const {
    if (!task_.uses_gpu() || !set_.tasks[y].uses_gpu()) return false;
    for (size_t x = 0; x < set_.tasks.size(); ++x)
      if ((x == i_ || shares(x)) && holders_[x].cpu == holders_[y].cpu) return true;
    return false;
  }
  Wide work(size_t y, Wide window, bool cpu, bool boosted, bool pure) const {
    const Time amount =
        (cpu ? set_.tasks[y].cpu_time() : 0) + (boosted ? holders_[y].boosted : 0) + (pure ? holders_[y].pure : 0);
    return workload(window, response_[y], amount, set_.tasks[y].period);
  }
  // Boosted on the task's CPU while it executes outside of segments: of a less urgent task there, one request
  // in each of those stretches.
  Wide at_home(size_t y, Wide window) const {
    if (!boosted_here(y)) return 0;
    if (set_.tasks[y].cpu != task_.cpu) return work(y, window, false, true, false);
    return Wide{task_.count() + 1} * holders_[y].longest_boosted;
  }
  // First come, first served: one segment of each other task per request.
  Wide in_turn(size_t y, Wide window) const {
    const Wide requests = Wide{task_.count()} * holders_[y].longest;
    if (preempts(y))
      return std::min(work(y, window, true, true, true), work(y, window, true, boosted_here(y), false) + requests);
    return std::min(work(y, window, false, true, true), requests + at_home(y, window));
  }
  // A task that does not share the task's device.
  Wide elsewhere(size_t y, Wide window) const {
    const Task& other = set_.tasks[y];
    if (preempts(y) && !other.uses_gpu()) return jobs_in(window, other.jitter, other.period) * other.cpu_time();
    const bool boosted = boosted_here(y) || delays_holders(y);
    const Wide all = work(y, window, preempts(y), boosted, false);
    if (preempts(y) || task_.uses_gpu()) return all;
    return std::min(all, at_home(y, window));
  }

  const TaskSet& set_;
  const Task& task_;
  const size_t i_;
  const Responses& response_;
  const Lock& rules_;
  std::vector<Holder> holders_;
};

}  // namespace

Bound lock(const TaskSet& set, size_t i, const Responses& response, const Lock& rules) {
  const Waiting waiting(set, i, response, rules);
  const Task& task = set.tasks[i];
  if (waiting.own() > task.deadline) return std::nullopt;
  const auto window = least_window(static_cast<Time>(waiting.own()), task.deadline - task.jitter,
                                   [&](Wide t) { return waiting.own() + waiting.others(t); });
  if (!window) return std::nullopt;
  return *window + task.jitter;
}

}  // namespace samcl::analysis::access
