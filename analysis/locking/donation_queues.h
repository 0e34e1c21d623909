// Who has one of several alike GPUs to itself and who waits for one, with priority donation: PROOF.md, "Donation". The
// simulator here and sam-managerd's policy "k-exclusion" follow the same rules, these.
//
// A queue per GPU; its first has the GPU. Candidates are the m most urgent pending jobs, and only they join queues,
// each the one with the least work. A job that becomes pending and puts another out of the candidates takes over what
// depends on that one: if its request is in a queue, the new job is its donor, and joins a queue itself only when that
// request is done; if it was a donor, the new job is donor in its place. A donor that waits lends its priority to the
// holder in front of its donee. So there are never more than m requests in the queues, and whoever is in one has a
// candidate to lend it priority. That stays so if jobs end before their requests are done, as those of programs that
// are killed do: who becomes a candidate then takes over what the job was donor of. Pure logic.
#pragma once

#include <climits>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::locking {

// Smaller is more urgent. At most one job per task competes at a time.
struct Priority {
  Time deadline = 0;
  size_t task = 0;
  bool operator<(const Priority& other) const {
    return std::tie(deadline, task) < std::tie(other.deadline, other.task);
  }
};

inline constexpr int kNoGpu = -1;

class DonationQueues {
 public:
  // m and k.
  DonationQueues(int cpus, int gpus) : cpus_(static_cast<size_t>(cpus)), queues_(static_cast<size_t>(gpus)) {}
  // Queues without donation: all are candidates, and wait by priority behind who has the GPU (own_processor.h).
  static DonationQueues by_priority(int gpus) {
    DonationQueues queues(INT_MAX, gpus);
    queues.is_by_priority_ = true;
    return queues;
  }

  // The task, which uses a GPU, has a job that is not done and follows no other; and has it no more, whatever that had
  // or waited for.
  void arrive(const Priority& priority);
  void leave(size_t task);
  bool is_pending(size_t task) const { return jobs_.contains(task); }

  // The task's pending job joins the queue with the least work of these GPUs' (of none: of all), at once or when it
  // may; it has the GPU if nobody is in front. `section`: how long it will have it, at most. One request per job.
  void request(size_t task, Time section, std::span<const int> gpus = {});
  // The job is done with its GPU.
  void release(size_t task);

  // Whose queue the task's job is in; kNoGpu: in none.
  int gpu_of(size_t task) const;
  // Who has a GPU; none: nobody.
  std::optional<size_t> holder(int gpu) const;
  bool holds(size_t task) const { return gpu_of(task) != kNoGpu && holder(gpu_of(task)) == task; }
  // Those who wait for the GPU's holder: in its queue, in order, and after them donors of those there.
  std::vector<size_t> waiting_for(int gpu) const;
  // Whose job has not asked yet, or waits, until that of this task is done; none: nobody's.
  std::optional<size_t> donor_of(size_t task) const;
  // The most urgent priority of all that wait for the job of this task, a holder, its own included.
  Priority inherited(size_t task) const;

 private:
  struct Job {
    Priority priority;
    int joined = kNoGpu;
    bool is_outside = false;  // it waits to join a queue
    Time section = 0;
    std::vector<int> gpus = {};        // that it may have; none: all
    std::optional<size_t> donee = {};  // the task whose request it lends its priority to
  };
  struct Queue {
    std::deque<size_t> tasks;
    Time work = 0;  // sections of all in it
  };

  bool is_candidate(size_t task) const;
  int choose(const Job& job) const;
  void join_who_may();
  void leave_queue(size_t task);

  size_t cpus_;
  bool is_by_priority_ = false;
  std::vector<Queue> queues_;
  std::map<size_t, Job> jobs_;     // pending, by task
  std::vector<Priority> pending_;  // most urgent first
};

}  // namespace samcl::analysis::locking
