// Which warp issued when, and whether a work-conserving scheduler could have done so.
#pragma once

#include "analysis/makespan/model.h"

namespace samcl::analysis::makespan {

struct Issue {
  Slots slot = 0;
  int warp = 0;
  size_t instruction = 0;
  bool operator==(const Issue&) const = default;
};

// In the order of slots.
using Schedule = std::vector<Issue>;

// The makespan of a schedule in which every warp issues all of its instructions in order, no unit takes more
// than its capacity, and none takes less while a warp is ready for it. Else an error that names slot and
// warp. This is the definition that everything else is tested against.
Result<Slots> check_schedule(const Kernel& kernel, int warps, const Schedule& schedule);

}  // namespace samcl::analysis::makespan
