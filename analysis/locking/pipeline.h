// The same tasks in the model of the rest of analysis/: CPU, then PCI, GPU, PCI, under fixed priorities.
#pragma once

#include "analysis/locking/task_set.h"

namespace samcl::analysis::locking {

// e - comm on a CPU, half of the copying on a PCI link, s on a GPU, the other half on a PCI link; stages that
// take no time are left out. Deadlines are the periods, priorities deadline-monotonic, all tasks in mode 1.
// Copying then takes no CPU and holds no GPU; there are as many links as GPUs.
analysis::TaskSet pipeline(const TaskSet& set);

}  // namespace samcl::analysis::locking
