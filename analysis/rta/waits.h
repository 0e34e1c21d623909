// Whom a task waits for, stage by stage: what a person asks of a bound.
#pragma once

#include <vector>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

struct Wait {
  size_t task = 0;     // index of the one waited for; may be the task itself (its other subtasks)
  Time time = 0;       // its part of the stage's wait
  int64_t stages = 0;  // how many of its stages come in the way; 0 for a section begun before, and
  // What it is for: work that the task's stages tell of, or, where its budgets are enforced, what it may compute, or
  // have of what others wait for, until that is noticed (`late`), and budgets that it may have sooner than a sixteenth
  // of its period before their time, as its jobs may begin late (`early`).
  enum class For { stages, late, early };
  For what = For::stages;
};

// The wait of one stage, of its subtask on StageBound::device where devices are bound: interference = sum of
// `urgent`, blocking = sum of `sections`, longest first.
struct StageWaits {
  std::vector<Wait> urgent;
  std::vector<Wait> sections;
};

// From bounds that analyse() gave for the same arguments. Parts are in proportion to the work that each
// task can bring into the stage's window. Empty for stages without a bound.
std::vector<StageWaits> waits(const TaskSet& set, std::span<const int> modes, Form form, const PriorityOrder& order,
                              const Bounds& bounds, size_t task);

}  // namespace samcl::analysis
