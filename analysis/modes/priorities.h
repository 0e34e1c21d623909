// In which order of priority are tasks schedulable? Given or deadline-monotonic orders are in
// model/task_set.h; this searches for a better one, which both papers leave for later. Deadline-monotonic
// is not optimal here (sections of less urgent tasks, several elements, jitter from stage to stage), and
// neither is Audsley's assignment, which needs bounds that do not depend on the order above a task.
#pragma once

#include "analysis/modes/choice.h"

namespace samcl::analysis {

struct Prioritised {
  PriorityOrder order;
  Choice choice;  // of modes, in this order
};

// From `start` (empty: priority_order(set)): modes are chosen; while they are not schedulable, the order is
// improved for these modes by moving one late task up or one task below a late one, and modes are chosen
// anew for the better order. Polynomial; never worse than the start.
Prioritised choose_priorities(const TaskSet& set, Form form, ModePolicy policy = kBestPolicy, PriorityOrder start = {});

}  // namespace samcl::analysis
