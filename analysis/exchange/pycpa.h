// A task set as a Python program for pyCPA (https://pycpa.readthedocs.io): prints the worst-case latency of
// every task.
#pragma once

#include "analysis/exchange/stations.h"

namespace samcl::analysis {

// CPUs are SPP schedulers, links and GPUs SPNP ones; arrivals a PJd event model with the task's jitter. Times
// in whole nanoseconds. Offsets and what stations_of() names cannot be expressed.
Result<std::string> format_pycpa(const TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis
