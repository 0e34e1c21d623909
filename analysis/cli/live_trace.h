// A trace of `sam-ctl trace`, or of one program (SAMCL_TRACE), as a schedule of a task set's model. Pure.
#pragma once

#include <string>

#include "analysis/sim/live_check.h"

namespace samcl::analysis::cli {

// Programs are of the task that the trace names, if the set has it; `task`: of that one where the trace names
// none ("": of none). Errors: no trace, or a trace with nothing in it; a task that the set does not have.
Result<LiveSchedule> read_live_schedule(const std::string& text, const TaskSet& set, const std::string& task);

}  // namespace samcl::analysis::cli
