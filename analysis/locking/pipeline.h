// The same tasks in the model of the rest of analysis/ (CPU, then PCI, GPU, PCI), and back.
#pragma once

#include <span>

#include "analysis/locking/task_set.h"

namespace samcl::analysis::locking {

// e - comm on a CPU, half of the copying on a PCI link, s on a GPU, the other half on a PCI link; stages that
// take no time are left out. Deadlines are the periods, priorities deadline-monotonic, all tasks in mode 1.
// Copying then takes no CPU and holds no GPU; there are as many links as GPUs.
analysis::TaskSet pipeline(const TaskSet& set);

// s is the time on GPUs, e all other; cs is all from a job's first stage on a link or GPU to its last, also what it
// computes between. Copying takes a CPU then, and a task keeps one GPU throughout; priorities and sections are not
// looked at. shared_gpus(pipeline(set)) is the set, if that has no parts. An error: a deadline that is not the period,
// a mode above 1, transfers of a task without GPU stages, bound devices.
Result<TaskSet> shared_gpus(const analysis::TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis::locking
