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

// Whether a text is such a job set, by its first line.
bool is_np_jobs(const std::string& text);
// The tasks that release these jobs, on so many GPUs: a job's task is released at least as far apart as its closest
// jobs are, with the least and the most cost of all. A task of one job has the hyperperiod as its period (of the first
// task that has several), or its deadline. Errors name the line: a release that is not at a certain time, deadlines and
// priorities that differ between a task's jobs.
Result<TaskSet> parse_np_jobs(const std::string& text, int gpus);

}  // namespace samcl::analysis
