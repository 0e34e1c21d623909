// Task sets that share one GPU as SchedCAT (Brandenburg) keeps task sets: XML, <taskset> with a <task> each.
//
//   <task id="1" period="30" wcet="5"><resources>
//     <requirement res_id="0" max_reads="0" max_writes="1" max_read_length="0" max_write_length="4"/>
//   </resources></task>
//
// wcet is e + s, and the requirement the critical section: what its suspension-oblivious analyses of global
// EDF look at. SchedCAT's times have no unit; the caller says how long one is.
#pragma once

#include <string>

#include "analysis/locking/task_set.h"

namespace samcl::analysis {

// Errors: several GPUs, or times that are no whole numbers of units.
Result<std::string> format_schedcat(const locking::TaskSet& set, Time unit);

// Of a section `cs` nothing more is known: s = cs and e = wcet - cs. Errors: what our model does not have
// (deadlines other than the period, several resources, reads, several requests in a job), named by the task.
Result<locking::TaskSet> parse_schedcat(const std::string& text, int cpus, Time unit);

}  // namespace samcl::analysis
