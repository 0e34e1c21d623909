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

// How long it takes at most until no job is under way: of any instant at which at most one job of each task is, and all
// jobs are what the set says. `besides`: by task, how long a job can wait for what is not of the set, with nothing of
// the set progressing. While a job is under way something of the set's work is done; so what jobs do one after the
// other, in all of their subtasks, is the time. None: that is no less than the time there is, or longer than kLongest.
// PROOF.md of rta/, "While modes change".
std::optional<Time> idle_within(const ModalTasks& tasks, std::span<const Time> besides);

}  // namespace samcl::analysis
