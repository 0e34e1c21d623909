// Who holds a GPU and who waits for it, under the locking protocols of blocking.h.
#pragma once

#include <deque>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/locking/blocking.h"

namespace samcl::analysis::locking {

// Smaller is more urgent. At most one job per task competes at a time.
struct Priority {
  Time deadline = 0;
  size_t task = 0;
  bool operator<(const Priority& other) const {
    return std::tie(deadline, task) < std::tie(other.deadline, other.task);
  }
};

class GpuQueues {
 public:
  GpuQueues(const TaskSet& set, Protocol protocol);

  // The task's job joins a queue; it holds the GPU at once if nobody is in front.
  void request(const Priority& priority);
  // The holder leaves; the next in its queue holds the GPU.
  void release(size_t task);

  // The GPU whose queue the task's job is in.
  int gpu_of(size_t task) const { return joined_[task]; }
  bool holds(size_t task) const;
  // The most urgent priority of all in the queue of which this task's job is the holder, its own included.
  Priority inherited(size_t task) const;

 private:
  struct Queue {
    std::deque<Priority> in_order;      // the first one holds the GPU
    std::vector<Priority> by_priority;  // OMLP: who did not fit
    Time work = 0;                      // critical sections of all in it
  };
  int choose(size_t task) const;

  const TaskSet& set_;
  Protocol protocol_;
  std::vector<int> assigned_;
  std::vector<int> joined_;
  std::vector<Queue> queues_;
};

}  // namespace samcl::analysis::locking
