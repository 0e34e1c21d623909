// A part of each device for a program that is not to have all of it (sam-run --share): which way a device can be shared
// out, and the part of it that is made where its driver divides it.
#pragma once

#include <CL/cl.h>

#include <string>

#include "base/result.h"

namespace samcl::driver {

enum class ShareWay : unsigned char {
  units,   // the driver makes a sub-device of some of its compute units
  mps,     // NVIDIA's Multi-Process Service runs: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE says how many of them
  slices,  // its kernels run in slices, between which it is left to others; needs a manager
};

// A share as a user writes it: 0.5 or 50%. Errors say what was expected: more than nothing and less than all.
Result<double> parse_share(const std::string& text);

// As many of the units as the share has: at least one. All of them where there is but one.
cl_uint units_of_share(cl_uint units, double share);

ShareWay share_way(cl_device_id device, double share);

// The sub-device with units_of_share() units; nullptr if the driver makes none.
cl_device_id part_of(cl_device_id device, double share);

// Whether an MPS server can be reached (CUDA_MPS_PIPE_DIRECTORY).
bool mps_runs();

}  // namespace samcl::driver
