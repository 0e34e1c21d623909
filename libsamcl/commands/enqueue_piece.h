// A piece of a launch, as the driver is given it.
#pragma once

#include <CL/cl.h>

#include "contract/ndrange.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/program/kernel.h"

namespace samcl {

// Enqueues a piece of that NDRange on the device's compute queue. real: the rewritten kernel, ready to launch, on that
// device; pass_local: with ndrange.local, else the driver chooses.
cl_int enqueue_piece(const Kernel& kernel, cl_kernel real, RealDevice& device, const Ndrange& ndrange,
                     const GroupBox& piece, bool pass_local, const EventWanted& wanted);

// Enqueues work-items of an NDRange whose local size that is.
cl_int enqueue_items(cl_kernel real, RealDevice& device, const Ndrange& ndrange, const BoxLaunch& items,
                     bool pass_local, const EventWanted& wanted);

// So many work-groups keep that device busy: no slice has fewer.
inline uint64_t least_groups(const RealDevice& device, const Index3& local) {
  return device.groups_at_once(local[0] * local[1] * local[2]);
}

}  // namespace samcl
