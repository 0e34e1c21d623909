// The Shared Resource Method: a GPU is a lock, and a job is analysed as if it computed while it waits for the
// GPU and while it uses it (suspension-oblivious); with parts of a GPU, s is the time on one. Schedulable, with bounded
// tardiness, if for every task e + s + b <= p, and the sum of (e + s + b) / p is at most m. PROOF.md.
#pragma once

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

// Under the OMLP b depends on the tardiness, which depends on b: they are computed in turn from a tardiness
// of 0 until both settle, or a condition fails. What fails at some step fails at the end, since both only
// grow.
SharedResourceVerdict analyse_shared_resource(const TaskSet& set, Protocol protocol,
                                              TardinessBound bound = TardinessBound::least);

}  // namespace samcl::analysis::locking
