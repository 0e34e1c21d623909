// Launches that run beside others of their command queue, where they need nothing of what these do: in a strand of the
// device for themselves (objects/strands.h). It pays where they do not fill the device, and are long.
//
// Threads: any, but for what says otherwise.
#pragma once

#include "libsamcl/objects/context.h"
#include "libsamcl/program/kernel.h"

namespace samcl {
struct LaunchRequest;
}

namespace samcl::beside {

// Whether it does not even keep the device busy: then two are no faster.
bool leaves_idle(const LaunchRequest& launch, const RealDevice& device);

// Whether it gains by running beside others there if it is long; and, as far as is known, it is.
bool may_pay(const LaunchRequest& launch, const Context& context, const RealDevice& device);
bool pays(const LaunchRequest& launch, const Context& context, const RealDevice& device);

// Whether it may be found to need nothing of what is on its way there, and is to be planned for that. Under the graph's
// lock.
bool is_worth_planning(const LaunchRequest& launch, const Context& context, RealDevice& device);

}  // namespace samcl::beside
