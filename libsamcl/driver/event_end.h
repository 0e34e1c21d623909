// Waiting for commands of which it is not known whether the driver ever does them.
#pragma once

#include <CL/cl.h>

#include <chrono>

namespace samcl::driver {

// Whether it ends, and well, within that time.
bool ends_well(cl_event event, std::chrono::milliseconds patience);

}  // namespace samcl::driver
