// Runs a workload from the command line: as fast as it goes, or as a periodic real-time task.
#pragma once

#include "benchmarks/host/workload.h"

namespace bench {

// main() of a benchmark program. Prints times, a checksum of the result, and PASS or FAIL as the last line
// (with --json one more line for tools). Returns the exit code: 0 for PASS, 1 for FAIL or an error,
// 2 for a command line that is wrong or asks for sizes that will not do.
int run(Workload& workload, int argc, char** argv);

}  // namespace bench
