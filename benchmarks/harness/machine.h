// The machine as it is now: what results are only comparable with.
#pragma once

#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

// Asks OpenCL in this process, whose drivers then stay loaded: to be called in one of its own.
Machine look_at_machine();

}  // namespace samcl::bench
