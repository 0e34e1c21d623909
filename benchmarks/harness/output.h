// What one execution left behind, made into an Execution.
#pragma once

#include <string>

#include "benchmarks/harness/measurement.h"
#include "tools/process/child.h"

namespace samcl::bench {

// `run` holds what was asked for (program, devices, round, ...); the outcome and what was measured are filled
// in from how the program ended, its line of JSON, and samcl's report (JSON; empty if bare). `jobs` is how
// many jobs the program ran with those of the warm-up, over all of which the report counts.
Execution read_output(Execution run, const process::Ending& ending, const std::string& report, unsigned jobs);

}  // namespace samcl::bench
