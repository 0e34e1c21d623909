// Who holds a GPU and who waits for it, under the locking protocols of blocking.h.
#pragma once

#include <deque>
#include <vector>

#include "analysis/locking/blocking.h"
#include "analysis/locking/donation_queues.h"

namespace samcl::analysis::locking {

// The OMLP's queue: m in order of arrival, filled from the others by priority.
class OmlpQueue {
 public:
  explicit OmlpQueue(int cpus) : most_(static_cast<size_t>(cpus)) {}

  void add(const Priority& priority);
  void erase(size_t place);  // in order of arrival
  const std::deque<Priority>& in_order() const { return in_order_; }
  // Of all that are in it or wait to be.
  Priority most_urgent() const;

 private:
  void fill();

  size_t most_;
  std::deque<Priority> in_order_;
  std::vector<Priority> by_priority_;  // who did not fit
};

class GpuQueues {
 public:
  GpuQueues(const TaskSet& set, Protocol protocol);

  // The task, which uses a GPU, has a job that is not done and follows no other; and has it no more. A job leaves after
  // its release().
  void arrive(const Priority& priority);
  void leave(size_t task);

  // The task's job joins a queue, at once or when it may; it holds the GPU if nobody is in front.
  void request(const Priority& priority);
  // The holder leaves; the next in its queue holds the GPU.
  void release(size_t task);

  // The GPU whose queue the task's job is in.
  int gpu_of(size_t task) const { return is_omlp_ ? assigned_[task] : queues_.gpu_of(task); }
  bool holds(size_t task) const;
  // The most urgent priority of all that wait for the job of this task, a holder, its own included.
  Priority inherited(size_t task) const;

 private:
  OmlpQueue& omlp_of(size_t task) { return omlp_[static_cast<size_t>(assigned_[task])]; }
  const OmlpQueue& omlp_of(size_t task) const { return omlp_[static_cast<size_t>(assigned_[task])]; }

  const TaskSet& set_;
  bool is_omlp_;
  std::vector<int> assigned_;    // under the OMLP, as omlp_
  std::vector<OmlpQueue> omlp_;  // by GPU; the first one in order holds it
  DonationQueues queues_;
};

}  // namespace samcl::analysis::locking
