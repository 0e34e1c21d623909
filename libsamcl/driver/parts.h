// The parts of devices that the program has let go of.
#pragma once

#include <CL/cl.h>

namespace samcl::driver {

// How many parts that nobody holds any more are kept, the latest ones.
inline constexpr size_t kKeptParts = 64;

// clReleaseDevice of a device of the driver's. The last reference to a part (clCreateSubDevices) is given back only
// when kKeptParts others have been released after it: PoCL's queues hold no reference to their device, and a thread of
// PoCL's that lets go of a finished command still reads it, also bare. A part that has been let go of is
// CL_INVALID_DEVICE. Thread-safe.
cl_int release_device(cl_device_id device);

}  // namespace samcl::driver
