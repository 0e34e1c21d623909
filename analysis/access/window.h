// How much a task can do in a stretch of time, and the least stretch that holds all that happens in it.
#pragma once

#include <optional>

#include "analysis/model/task_set.h"

namespace samcl::analysis::access {

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
