// The Shared Resource Method: a GPU is a lock, and a job is analysed as if it computed while it waits for the
// GPU and while it uses it (suspension-oblivious); with parts of a GPU, s is the time on one. Schedulable, with bounded
// tardiness, if for every task e + s + b <= p, and the sum of (e + s + b) / p is at most m. PROOF.md.
#pragma once

#include <functional>
#include <optional>

#include "analysis/locking/blocking.h"
#include "analysis/locking/tardiness.h"

namespace samcl::analysis::locking {

struct SharedResourceTask {
  Time blocking = 0;  // b
  Time demand = 0;    // e + s + b
  Time late = 0;      // tardiness at most; 0 where the set is not schedulable
};

struct SharedResourceVerdict {
  Protocol protocol = Protocol::fmlp_long;
  std::vector<SharedResourceTask> tasks;  // in the set's order
  ExactSum utilisation;                   // of e + s + b
  std::optional<size_t> too_long;         // the first task with e + s + b > p
  bool fits = false;                      // the utilisation is at most m
  bool schedulable() const { return fits && !too_long; }
};

SharedResourceVerdict analyse_shared_resource(const TaskSet& set, Protocol protocol,
                                              TardinessBound bound = TardinessBound::least);

// The same of tasks whose jobs execute so long without waiting, and wait as `blocking` says for a given tardiness. b
// may depend on the tardiness, as under the OMLP, which depends on b: they are computed in turn from a tardiness of 0
// until both settle, or a condition fails. What fails at some step fails at the end, since both only grow.
struct ObliviousTask {
  Time period = 0;
  Time execution = 0;
};
using BlockingOf = std::function<std::vector<Time>(const std::vector<Time>& late)>;
SharedResourceVerdict analyse_oblivious(const std::vector<ObliviousTask>& tasks, int cpus, TardinessBound bound,
                                        const BlockingOf& blocking);

}  // namespace samcl::analysis::locking
