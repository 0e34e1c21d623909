// What one execution left behind, made into an Execution.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "benchmarks/harness/measurement.h"
#include "tools/process/child.h"

namespace samcl::bench {

// The last line of output, if it is a JSON object; else discarded.
nlohmann::json last_json_line(const std::string& out);

// `run` holds what was asked for (program, devices, round, ...); the outcome and what was measured are filled
// in from how the program ended, its line of JSON, and samcl's report (JSON; empty if bare). `jobs` is how
// many jobs the program ran with those of the warm-up, over all of which the report counts.
Execution read_output(Execution run, const process::Ending& ending, const std::string& report, unsigned jobs);

}  // namespace samcl::bench
