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

// With donation, candidates are the m most urgent pending jobs of tasks that use a GPU, and only they join
// queues. A job that becomes pending and puts another out of the candidates takes over what depends on that
// one: if its request is in a queue, the new job is its donor, and joins a queue itself only when that
// request is done; if it was a donor, the new job is donor in its place. A donor that waits lends its
// priority to the holder in front of its donee. So there are never more than m requests in the queues, and
// whoever is in one has a candidate to lend it priority. Each job makes one request, at most.
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
  int gpu_of(size_t task) const { return joined_[task]; }
  bool holds(size_t task) const;
  // The most urgent priority of all that wait for the job of this task, a holder, its own included.
  Priority inherited(size_t task) const;

 private:
  struct Queue {
    std::deque<Priority> in_order;      // the first one holds the GPU
    std::vector<Priority> by_priority;  // OMLP: who did not fit
    Time work = 0;                      // critical sections of all in it
  };
  int choose(size_t task) const;
  void join(const Priority& priority);
  void join_who_may();
  bool may_join(size_t task) const;
  void free_donors_of(size_t task);

  const TaskSet& set_;
  Protocol protocol_;
  std::vector<int> assigned_;
  std::vector<int> joined_;
  std::vector<Queue> queues_;
  std::vector<Priority> pending_;             // donation: most urgent first
  std::vector<Priority> outside_;             // who waits to join a queue
  std::vector<std::optional<size_t>> donee_;  // of each task's job
};

}  // namespace samcl::analysis::locking
