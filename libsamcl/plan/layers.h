// Cuts the parts of a split launch again, so that what passes between the devices (a stencil's halo) passes while they
// compute: the work-groups at the ends of a part that need bytes of another device's, or compute what another device
// will need, become parts of their own, which come first. The inside of a part then waits for no other device, and no
// other device for it.
#pragma once

#include "libsamcl/plan/launch_plan.h"

namespace samcl {

// Cuts the plan's parts if layers are known for such launches of the kernel, or found now: by where the bytes are that
// the parts need, and what other devices got in the last exchange. The plan is one that may be split, all of whose
// accesses are known by part. Under the lock of the context's graph. Whether it was cut.
bool cut_layers(LaunchPlan& plan, const LaunchRequest& request);

}  // namespace samcl
