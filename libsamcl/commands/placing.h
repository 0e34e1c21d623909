// Finds out where the bytes that long launches need should have been, so that another process of the same program can
// have them there before it launches (coherence/placements.h). Programs launch a kernel once or twice, after they have
// written what it reads: when it is known how long it takes, that is over, and to move the bytes would take longer than
// parts would save.
//
// All under the graph's lock. What takes long is done on the thread that makes what launches may need later.
#pragma once

#include <memory>

#include "libsamcl/objects/context.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl::placing {

// Shorter launches gain nothing by parts.
constexpr uint64_t kLeastNs = 500'000;

// A launch with these memory objects is planned, and nothing is noted of it yet; whether its time is of interest.
bool planned(const LaunchPlan& plan, const Context& context);

// It took so many ns on one device, or in all.
void took(const LaunchRequest& launch, const LaunchPlan& whole, const std::shared_ptr<Context>& context, uint64_t ns);

// A launch runs on one device although what it needs was placed for several, and it is known how long it takes.
void failed(const LaunchPlan& plan, const std::shared_ptr<Context>& context);

}  // namespace samcl::placing
