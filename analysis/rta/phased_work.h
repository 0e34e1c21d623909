// How much of one task's work can fall into a window: when its first job was released, relative to the window, decides
// over all of its stages on all resources at once, and a job is at one of its stages at a time (PROOF.md, theorem 4).
#pragma once

#include <array>
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

  Time response() const { return stages.back().end; }
  Time subtasks_on(Resource resource) const;  // 0: none of its stages is there
};

// Some of the resources: one bit each.
using Resources = unsigned;
inline constexpr Resources kAllResources = 0b111;
constexpr Resources only(Resource resource) { return 1U << at(resource); }

class PhasedWork {
 public:
  __extension__ using Wide = __int128;

  // On other resources it is taken for nothing.
  PhasedWork(const TimedTask& task, Time window, Resources resources = kAllResources);
  // Of one subtask of its stages on the resource, in any phase.
  Time most(Resource resource) const;
  // sum of weight[resource] * work[resource], in any phase; at most.
  Wide most(const std::array<Wide, 3>& weight) const;

 private:
  // [phase][resources]: of one subtask on all of these together; of those phases in which one can be most
  std::vector<std::array<Time, kAllResources + 1>> works_;
};

}  // namespace samcl::analysis
