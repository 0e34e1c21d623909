// Tasks that wait for devices of their own: PROOF.md, "Suspensions".
#include <algorithm>

#include "analysis/access/forms.h"

namespace samcl::analysis::access {
namespace {

constexpr int kMostJobs = 1'000'000;  // in a busy window
constexpr size_t kMostChoices = 12;   // all vectors of so many tasks are tried

// More urgent ones on the same CPU.
std::vector<size_t> above(const SuspendingTasks& tasks, size_t k) {
  std::vector<size_t> all;
  for (size_t h = 0; h < k; ++h)
    if (tasks[h].cpu == tasks[k].cpu) all.push_back(h);
  return all;
}

template <typename Pure>
SuspendingTasks suspending(const TaskSet& set, Pure pure) {
  SuspendingTasks tasks;
  for (const Task& task : set.tasks) {
    const Time waiting = pure(task);
    const Time computing = task.cpu_time() + task.misc() + (task.busy ? waiting : 0);
    tasks.push_back({task.period, task.deadline, task.jitter, task.cpu, computing, task.busy ? 0 : waiting});
  }
  return tasks;
}

// How much later a more urgent task's use of the CPU may seem to come: ECRTS 2016, Theorem 1. `by_jitter` has
// a place for each of `hp`.
std::vector<Time> delays(const SuspendingTasks& tasks, const std::vector<size_t>& hp, const Responses& response,
                         const std::vector<bool>& by_jitter) {
  std::vector<Time> all(hp.size());
  Time sum = 0;  // Q_i: of S of all from here on that are not treated by jitter
  for (size_t n = hp.size(); n-- > 0;) {
    const Suspending& task = tasks[hp[n]];
    if (!by_jitter[n]) sum += task.waiting;
    all[n] = sum + (by_jitter[n] ? response[hp[n]] - task.computing : 0);
  }
  return all;
}

Bound with_delays(const SuspendingTasks& tasks, size_t k, const std::vector<size_t>& hp,
                  const std::vector<Time>& delay) {
  const Suspending& task = tasks[k];
  const Time own = task.computing + task.waiting;
  const auto window = least_window(own, task.deadline - task.jitter, [&](Wide t) {
    Wide sum = own;
    for (size_t n = 0; n < hp.size(); ++n) sum += jobs_in(t, delay[n], tasks[hp[n]].period) * tasks[hp[n]].computing;
    return sum;
  });
  if (!window) return std::nullopt;
  return *window + task.jitter;
}

}  // namespace

SuspendingTasks dedicated(const TaskSet& set) {
  return suspending(set, [](const Task& task) { return task.pure(); });
}

SuspendingTasks round_robin(const TaskSet& set, Time slice, Time switching) {
  return suspending(set, [&](const Task& task) {
    Time sum = 0, others = 0;
    for (const Task& other : set.tasks)
      others += &other != &task && other.uses_gpu() && other.device == task.device ? 1 : 0;
    for (const Segment& segment : task.segments) {
      const Wide slices = (Wide{segment.pure} + slice - 1) / slice;
      const Wide all = segment.pure + slices * (others * (Wide{slice} + switching) + switching);
      sum += static_cast<Time>(std::min<Wide>(all, kLongest + 1));
    }
    return sum;
  });
}

// Deadlines above the period too: all jobs of a stretch in which one of the task or of a more urgent one is
// pending.
Bound oblivious(const SuspendingTasks& tasks, size_t k) {
  const Suspending& task = tasks[k];
  const std::vector<size_t> hp = above(tasks, k);
  Time longest = 0;
  for (int q = 1; q <= kMostJobs; ++q) {
    const Wide own = Wide{q} * (task.computing + task.waiting);
    const Wide before = Wide{q - 1} * task.period - task.jitter;  // the q-th job's arrival
    const Wide latest = before + task.deadline;
    if (own > latest || latest > (Wide{1} << 60)) return std::nullopt;
    const auto end = least_window(static_cast<Time>(own), static_cast<Time>(latest), [&](Wide t) {
      Wide sum = own;
      for (const size_t h : hp)
        sum += jobs_in(t, tasks[h].jitter, tasks[h].period) * (tasks[h].computing + tasks[h].waiting);
      return sum;
    });
    if (!end) return std::nullopt;
    longest = std::max(longest, static_cast<Time>(*end - before));
    if (*end <= before + task.period) return longest;
  }
  return std::nullopt;
}

Bound jitter(const SuspendingTasks& tasks, size_t k, const Responses& response) {
  const std::vector<size_t> hp = above(tasks, k);
  std::vector<Time> delay;
  for (const size_t h : hp) delay.push_back(tasks[h].waiting == 0 ? tasks[h].jitter : response[h] - tasks[h].computing);
  return with_delays(tasks, k, hp, delay);
}

Bound blocking(const SuspendingTasks& tasks, size_t k) {
  const Suspending& task = tasks[k];
  const std::vector<size_t> hp = above(tasks, k);
  Time own = task.computing + task.waiting;
  for (const size_t h : hp) own += std::min(tasks[h].computing, tasks[h].waiting);
  return least_window(own, task.deadline, [&](Wide t) {
    Wide sum = own;
    for (const size_t h : hp) sum += jobs_in(t, 0, tasks[h].period) * tasks[h].computing;
    return sum;
  });
}

Bound unified(const SuspendingTasks& tasks, size_t k, const Responses& response) {
  const std::vector<size_t> hp = above(tasks, k);
  std::vector<size_t> choices;  // places in hp
  for (size_t n = 0; n < hp.size(); ++n)
    if (tasks[hp[n]].waiting > 0) choices.push_back(n);
  Bound least;
  const auto attempt = [&](const std::vector<bool>& by_jitter) {
    const Bound bound = with_delays(tasks, k, hp, delays(tasks, hp, response, by_jitter));
    if (bound && (!least || *bound < *least)) least = bound;
  };
  // Of many tasks the least urgent ones are tried in all ways, the others by jitter or not at all.
  const size_t tried = std::min(choices.size(), kMostChoices);
  for (const bool others : {true, false}) {
    for (uint64_t vector = 0; vector < (uint64_t{1} << tried); ++vector) {
      std::vector<bool> by_jitter(hp.size(), false);
      for (size_t c = 0; c < choices.size(); ++c) {
        const size_t from_end = choices.size() - 1 - c;
        by_jitter[choices[c]] = from_end < tried ? (vector >> from_end & 1) != 0 : others;
      }
      attempt(by_jitter);
    }
    if (tried == choices.size()) break;
  }
  return least;
}

}  // namespace samcl::analysis::access
