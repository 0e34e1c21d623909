// What devices there are, asked in a child process: OpenCL drivers start threads and take memory, and the
// process that becomes the program must be as clean as one that sam-run never touched.
#pragma once

#include <string>

#include "base/result.h"

namespace samcl::run {

// How many real devices `selection` names (SAMCL_DEVICES' syntax, empty: all). Errors: an unknown device,
// with a list of those that exist; no device at all; OpenCL crashed. Waits for as long as the program would.
Result<unsigned> count_devices(const std::string& selection);

}  // namespace samcl::run
