// Who holds a GPU and who waits for it, under the locking protocols of blocking.h.
#pragma once

#include <deque>
#include <vector>

#include "analysis/locking/blocking.h"
#include "analysis/locking/donation_queues.h"

namespace samcl::analysis::locking {

class GpuQueues {
 public:
  GpuQueues(const TaskSet& set, Protocol protocol);

  // The task, which uses a GPU, has a job that is not done and follows no other; and has it no more. These
  // matter with donation only. A job leaves after its release().
  void arrive(const Priority& priority);
  void leave(size_t task);

  // The task's job joins a queue, at once or when it may; it holds the GPU if nobody is in front.
  void request(const Priority& priority);
  // The holder leaves; the next in its queue holds the GPU.
  void release(size_t task);

  // The GPU whose queue the task's job is in.
  int gpu_of(size_t task) const { return donates() ? donation_.gpu_of(task) : joined_[task]; }
  bool holds(size_t task) const;
  // The most urgent priority of all that wait for the job of this task, a holder, its own included.
  Priority inherited(size_t task) const;

 private:
  struct Queue {
    std::deque<Priority> in_order;      // the first one holds the GPU
    std::vector<Priority> by_priority;  // OMLP: who did not fit
    Time work = 0;                      // critical sections of all in it
  };
  bool donates() const { return protocol_ == Protocol::donation; }
  int choose(size_t task) const;

  const TaskSet& set_;
  Protocol protocol_;
  std::vector<int> assigned_;
  std::vector<int> joined_;
  std::vector<Queue> queues_;
  DonationQueues donation_;
};

}  // namespace samcl::analysis::locking
