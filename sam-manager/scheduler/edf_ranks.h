// Global EDF for programs' threads by priorities of SCHED_FIFO: the program whose job has the earliest deadline has the
// highest one, the next one the next lower. Not by SCHED_DEADLINE, which gives a thread that wakes late a later
// deadline than its job's, knows nothing of loans, and runs before the manager. Pure logic.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sam-manager/scheduler/shares.h"

namespace samcl::scheduler {

struct RankedProgram {
  ClientId client = 0;
  uint64_t deadline_ns = UINT64_MAX;  // of its job under way; UINT64_MAX: it has none
  int priority = 0;                   // its task's
  int highest = 0;                    // that its user may have
};

// The priorities of all programs' threads: from the highest of the tasks' downwards, as far as `lowest`, which those
// that are left have together.
std::map<ClientId, int> edf_ranks(std::vector<RankedProgram> programs, int lowest);

}  // namespace samcl::scheduler
