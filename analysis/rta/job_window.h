// How long some stages of a job, one after the other, can take from when the first becomes ready: theorem 4 of
// PROOF.md, in whole numbers. Tighter than theorem 2, and slower: it is for rta/together.h.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/rta/phased_work.h"

namespace samcl::analysis {

// What one party executes: on so many elements at once, and so much in all.
struct Share {
  int64_t elements = 0;
  int64_t work = 0;
};

// The longest w with elements * w <= sum of min(share.elements * w, share.work).
int64_t longest_busy(int64_t elements, std::span<const Share> shares);

// Of a job of tasks[at], where tasks are in the order of priority: some stages, appended one after the other. Of all
// other tasks the ends of stages are known, or assumed.
class JobWindow {
 public:
  JobWindow(const Platform& platform, std::span<const TimedTask> tasks, size_t at);

  void append(const TimedStage& stage);
  // A bound on the last stage's end after the first one became ready, or `enough` if it would not be below that.
  Time end(Time enough) const;

 private:
  struct Lane {  // one resource
    Time elements = 1;
    Time stages = 0;     // that wait here
    Time siblings = 0;   // subtasks of each, but for one
    Time execution = 0;  // of these stages
    bool cut = false;    // some of them are
  };
  // For one resource: no longer than `longest`, and no longer than (more urgent work + work) / elements + time.
  struct Wait {
    Time longest = 0;
    Time elements = 1, work = 0, time = 0;
  };

  bool can_wait(Resource resource) const;
  Time waiting(Time window) const;
  Wait wait(Resource resource, std::span<const PhasedWork> phased, Time window) const;
  Time with_common_phases(const std::array<Wait, 3>& waits, std::span<const PhasedWork> phased, Resources chosen,
                          Time enough) const;

  std::span<const TimedTask> tasks_;
  size_t at_;
  std::array<Lane, 3> lanes_;
  Time executed_ = 0;
  Time rest_ = 0;  // the last stage's C, where the window ends with the start of its last subtask
};

}  // namespace samcl::analysis
