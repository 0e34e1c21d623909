// Task sets whose tasks all have one stage, never cut, on the links or on the GPUs, as job sets for
// np-schedulability-analysis (Nasri, Nelissen & Brandenburg): CSV with task, job, earliest and latest
// release, least and most cost, absolute deadline and priority (smaller is more urgent). `nptest -m N` then
// analyses them on N elements.
//
// The jobs are those of one hyperperiod, released periodically from 0 on: that tool's answer is about this
// schedule of releases, while the bounds here hold for every one.
#pragma once

#include <span>
#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// Errors: a task that is no such one, or more than 100,000 jobs.
Result<std::string> format_np_jobs(const TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis
