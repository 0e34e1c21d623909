// Jobs one at a time, by earliest deadline, on a processor of their own (or anything else that serves one job at a
// time): non-preemptive EDF. A container of Elliott & Anderson's Container Method that shares its CPU with nobody, so
// that nothing is known or assumed of the tasks outside. The condition for no lateness is that of Jeffay, Stanat &
// Martel, "On non-preemptive scheduling of periodic and sporadic tasks" (RTSS 1991); the bound of the tardiness is
// ours, PROOF.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis::locking {

struct WholeTask {
  Time period = 0;  // least separation of releases, and relative deadline
  Time cost = 0;    // of a job, at most; nothing interrupts it
};

// How late each task's jobs can be, at most. None: the utilisation is above 1.
std::optional<std::vector<Time>> own_processor_tardiness(std::span<const WholeTask> tasks);

}  // namespace samcl::analysis::locking
