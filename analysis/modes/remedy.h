// What would make a task set schedulable that is not? One thing at a time, modes chosen anew for each.
#pragma once

#include <optional>
#include <vector>

#include "analysis/modes/choice.h"

namespace samcl::analysis {

struct Remedy {
  // The largest part of their worst times, in whole percents, that may remain; none if not even 1% may.
  std::optional<int> of_all;                // every task's
  std::vector<std::optional<int>> of_task;  // one task's alone, in the order of TaskSet::tasks
};

// A percentage is right for the policy in use if more of it is never schedulable where less is not; policies
// that are not exact may err on the low side.
Remedy find_remedy(const TaskSet& set, Form form, ModePolicy policy = kBestPolicy, PriorityOrder order = {});

}  // namespace samcl::analysis
