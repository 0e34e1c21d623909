// The parts of devices that the program has made and let go of.
#pragma once

#include <CL/cl.h>

namespace samcl::driver {

// clCreateSubDevices of a device of the driver's. Thread-safe, as all of these.
cl_int create_parts(cl_device_id whole, const cl_device_partition_property* properties, cl_uint room,
                    cl_device_id* parts, cl_uint* count);

// What the part was made of, nullptr of all else. The driver is not asked, so that it may be anything: a program's
// handle that is none gets an error, and an ICD loader would follow it.
cl_device_id whole_of(cl_device_id part);

// How many parts that nobody holds any more are kept, the latest ones.
inline constexpr size_t kKeptParts = 64;

// clReleaseDevice of a device of the driver's. The last reference to a part (clCreateSubDevices) is given back only
// when kKeptParts others have been released after it: PoCL's queues hold no reference to their device, and a thread of
// PoCL's that lets go of a finished command still reads it, also bare. A part that has been let go of is
// CL_INVALID_DEVICE.
cl_int release_device(cl_device_id device);

}  // namespace samcl::driver
