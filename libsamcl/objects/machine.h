// The devices of this machine as the program sees them: each group of alike real devices is one, or, where the user
// wants devices mixed, all are one. Everything here is built at the first call, from Config, and stays for the life of
// the process.
//
// A group of one device that nobody manages is shown as it is ("direct"): the program then holds the driver's
// own objects, and samcl costs it one jump per call.
//
// Threads: any.
#pragma once

#include <CL/cl.h>

#include <vector>

#include "libsamcl/lease/lease.h"

namespace samcl {

// The devices of a platform that the program may use, as clGetDeviceIDs lists them: those the driver gives
// for that type, in the order of SAMCL_DEVICES. Empty if there are none, or if a manager is required
// (SAMCL_MANAGER) and none answered.
std::vector<cl_device_id> program_devices(cl_platform_id platform, cl_device_type type);

// The virtual device that a real one is part of; the same device if it is part of none.
cl_device_id to_program(cl_device_id real);

// The same for all handles of an answer of the driver's.
void as_programs_devices(void* devices, size_t bytes);

// Our connection to sam-managerd; nullptr if this process runs unmanaged, or has not asked for devices yet: nothing is
// built because of it.
lease::Client* present_lease_client();

}  // namespace samcl
