// Tasks that are graphs (dag/dag.h) as the DAG task files of np-schedulability-analysis, which its
// dag-tasks-to-jobs.py makes into jobs and edges for nptest. CSV without a header, times in milliseconds:
//
//   T, task, period, deadline
//   V, task, vertex, earliest and latest release in the period, least and most cost, predecessors ...
//
// All vertices execute on one kind of processor there. What is read executes on CPUs; least costs are not known here.
#pragma once

#include <string>

#include "analysis/dag/dag.h"

namespace samcl::analysis::dag {

// Tasks and vertices are counted from 1. An error: vertices on two kinds of processors.
Result<std::string> format_np_dags(const TaskSet& set);

// Whether a text is such a file, by its first line.
bool is_np_dags(const std::string& text);
// On so many CPUs. Errors name the line: what is no such row, vertices that are not released with their task, unknown
// predecessors.
Result<TaskSet> parse_np_dags(const std::string& text, int cpus);

}  // namespace samcl::analysis::dag
