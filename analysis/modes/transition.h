// While modes change, jobs of both choices are under way: neither choice's bounds hold. Here every job may be
// in either mode, the one of before or the one of after, and the safe form's bounds of that hold throughout:
// for jobs under way when the change is told, for later ones, and whenever each task learns of it, as long as
// a job keeps the mode that it began in. They hold until the machine is idle for the first time after the
// last job in an old mode: from then on the new choice's bounds do (PROOF.md, "While modes change").
#pragma once

#include "analysis/model/task_set.h"

namespace samcl::analysis {

struct ModalTasks {
  TaskSet set;
  Modes modes;
};

// A task set that can do all that either can: each stage with the longer of both times in as many subtasks,
// on all devices of both; tasks that only one of them has are in it too. Both have passed check(). Error:
// what cannot be one task, named: other stages, priorities or platforms than before.
Result<ModalTasks> either(const ModalTasks& before, const ModalTasks& after);

}  // namespace samcl::analysis
