// How much of one task's work can fall into a window: when its first job was released, relative to the window, decides
// over all of its stages on all resources at once, and a job is at one of its stages at a time (PROOF.md, theorem 4).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// A stage in its task's mode, and when it happens after its job's release.
struct TimedStage {
  Resource resource = Resource::cpu;
  Time worst = 0, section = 0;  // C, q; no section on a CPU
  Time subtasks = 1;            // s
  bool whole = false;           // nothing interrupts a subtask that has started
  Time earliest = 0;            // bmin: it is not ready before
  Time ready = 0, end = 0;      // bmax, and the bound on its end
};

struct TimedTask {
  Time period = 0;
  std::vector<TimedStage> stages;  // the last one ends within the period
  Time work = kLongest;            // of a job's stages together, at most

  Time response() const { return stages.back().end; }
  Time subtasks_on(Resource resource) const;  // 0: none of its stages is there
};

// Some of the resources: one bit each.
using Resources = unsigned;
inline constexpr Resources kAllResources = 0b111;
constexpr Resources only(Resource resource) { return 1U << at(resource); }

// Of a task that is there as long as this is.
class PhasedWork {
 public:
  __extension__ using Wide = __int128;

  // On other resources it is taken for nothing.
  PhasedWork(const TimedTask& task, Time window, Resources resources = kAllResources);
  // Of one subtask of its stages on the resource, in any phase.
  Time most(Resource resource) const { return most_[at(resource)]; }
  // sum of weight[resource] * work[resource], in any phase; at most.
  Wide most(const std::array<Wide, 3>& weight) const;
  // Nearly as much, or as much, and sooner found: that in one phase.
  Wide some(const std::array<Wide, 3>& weight) const;

 private:
  // A sum of work on the first resource, on the first two, and on all three together.
  struct Parts {
    explicit Parts(const std::array<Wide, 3>& weight);
    std::array<Resource, 3> order{};
    std::array<Wide, 3> excess{};
  };

  std::pair<Wide, Time> in_phase(const Parts& parts, Time time) const;
  std::pair<Wide, Time> worst(const Parts& parts) const;

  const TimedTask& task_;
  Time window_;
  std::array<Time, 3> most_{}, phase_{};  // in that phase it is most
};

}  // namespace samcl::analysis
