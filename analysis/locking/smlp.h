// Parts of a GPU (streaming multiprocessors, or groups of them) as what is locked: the SMLP of Ali, Tong, Goh &
// Anderson, "Predictable GPU Sharing in Component-Based Real-Time Systems", ECRTS 2024. Its rules are those of
// its artifact's simulator; the bound of the blocking is ours, PROOF.md.
//
// A request waits as in the OMLP: in a queue of m in order of arrival, filled from one by priority. While parts
// are free, the first in the queue leaves it and takes of them as few as make it no slower than all of them
// would. A job needs no CPU while it has parts, so nobody inherits a priority.
//
// Where the program is a component that has its processors in time slices, nothing may run on the GPU when a
// slice ends: who could not be done by then is passed over (the slice's *forbidden zone*).
#pragma once

#include "analysis/locking/gpu_queues.h"

namespace samcl::analysis::locking {

// How many of so many free parts the task takes.
int parts_taken(const Task& task, int free);

// b_i: no task's on_parts is empty that uses the GPU.
std::vector<Time> smlp_blocking(const TaskSet& set);

// Who has which parts and who waits for some.
class PartQueue {
 public:
  explicit PartQueue(const TaskSet& set);

  void request(const Priority& priority) { queue_.add(priority); }
  void release(size_t task);
  // Gives parts to those that may have them now.
  void grant(Time now);
  // When somebody who waits beside free parts may have them.
  std::optional<Time> next_slice(Time now) const;

  bool holds(size_t task) const { return !parts_of_[task].empty(); }
  const std::vector<int>& parts_of(size_t task) const { return parts_of_[task]; }

 private:
  const TaskSet& set_;
  std::vector<int> free_;
  OmlpQueue queue_;
  std::vector<std::vector<int>> parts_of_;
};

}  // namespace samcl::analysis::locking
