// One analysis each: the bound of the set's i-th task, from arrival to end, where `response` bounds those of
// all others (their deadlines where nothing better is known yet), or nothing if it may be above its deadline.
#pragma once

#include "analysis/access/access.h"

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

}  // namespace samcl::analysis::access
