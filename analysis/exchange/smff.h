// Task sets in the XML of SMFF (System Models for Free, TU Braunschweig), which pyCPA reads (its smff_loader).
// It says nothing of units.
#pragma once

#include "analysis/exchange/stations.h"

namespace samcl::analysis {

inline constexpr const char* kSmffNanoseconds = "<!-- Times in nanoseconds. -->\n";  // in what format_smff() writes

// Each task is an application, each stage a task of it on the resource that is its station: CPUs are preemptive
// (SPPScheduler), links and GPUs not (SPNPScheduler). Times in whole nanoseconds. Smaller priorities are more urgent,
// as pyCPA has it. Offsets and what stations_of() names cannot be expressed.
Result<std::string> format_smff(const TaskSet& set, std::span<const int> modes);

// Applications whose tasks, and links on communication resources, follow one after the other, on one CPU, and on one
// GPU with its link; which is which says add_stage(), and what is on a communication resource is a transfer. An
// application's constraint, from its first task to its last, is the deadline, from the arrival on and rounded down to a
// nanosecond; without one the deadline is the period. Priorities are those of each resource; an order of the
// applications has to exist that is all of these. Times are numbers of `unit` nanoseconds; of one, where the text says
// so as format_smff()'s does. What else a model has is an error that names its line. The set has passed check() for
// Model::partitioned.
Result<TaskSet> parse_smff(const std::string& text, Time unit);

}  // namespace samcl::analysis
