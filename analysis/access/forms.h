// One analysis each: the bound of the set's i-th task, from arrival to end, where `response` bounds those of
// all others (their deadlines where nothing better is known yet), or nothing if it may be above its deadline.
#pragma once

#include <optional>

#include "analysis/access/access.h"
#include "analysis/model/task_set.h"

namespace samcl::analysis::access {

using Responses = std::vector<Time>;
using Bound = std::optional<Time>;

Bound gcaps(const TaskSet& set, size_t i, const Responses& response, Time update);
Bound gcaps_published(const TaskSet& set, size_t i, const Responses& response, Time update);

Bound mpcp_published(const TaskSet& set, size_t i, const Responses& response);
Bound fmlp_published(const TaskSet& set, size_t i, const Responses& response);
Bound server_published(const TaskSet& set, size_t i, const Responses& response, Time update, int server_cpu);

struct Lock {
  bool fifo = false;               // else the most urgent waiting one is next
  std::optional<int> server = {};  // the CPU that executes all G^m; else each task's own
  Time handling = 0;               // of the server's, per segment
};
Bound lock(const TaskSet& set, size_t i, const Responses& response, const Lock& rules);

// Devices with one user each: C on the CPU, S in all without it.
struct Suspending {
  Time period, deadline, jitter;
  int cpu;
  Time computing;  // C
  Time waiting;    // S
};
using SuspendingTasks = std::vector<Suspending>;
// G^e is waited for, or computing where the task keeps its CPU; in a round robin with the slices of all
// others.
SuspendingTasks dedicated(const TaskSet& set);
SuspendingTasks round_robin(const TaskSet& set, Time slice, Time switching);

Bound oblivious(const SuspendingTasks& tasks, size_t k);
Bound jitter(const SuspendingTasks& tasks, size_t k, const Responses& response);
Bound blocking(const SuspendingTasks& tasks, size_t k);
Bound unified(const SuspendingTasks& tasks, size_t k, const Responses& response);

// How much a task can do in a stretch of time, and the least stretch that holds all that happens in it.

using Wide = __int128;  // sums of products of times

// ceil((window + jitter) / T): of jobs that arrive at least T apart those that can matter in the window.
inline Wide jobs_in(Wide window, Wide jitter, Time period) { return (window + jitter + period - 1) / period; }

// What jobs can do in any window, of which each does at most `amount`, in time that is part of its own
// response: a job that began so long before the window that its response does not leave room for all of it
// does the less inside. (window + R - amount) / T, rounded up; PROOF.md, Lemma 1.
inline Wide workload(Wide window, Time response, Time amount, Time period) {
  if (amount == 0) return 0;
  return jobs_in(window, response > amount ? response - amount : 0, period) * amount;
}

// The least t with demand(t) <= t, from `start` on, if it is at most `limit`; demand() does not fall.
template <typename Demand>
std::optional<Time> least_window(Time start, Time limit, Demand demand) {
  for (Wide t = start; t <= limit;) {
    const Wide next = demand(t);
    if (next <= t) return static_cast<Time>(t);
    t = next;
  }
  return std::nullopt;
}

}  // namespace samcl::analysis::access
