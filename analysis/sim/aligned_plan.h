// Worse plans by looking at what happened: jobs of other tasks are moved so that they come for a resource just when a
// late job does. Random changes seldom find that where periods are long, or where several have to.
#pragma once

#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {

// The plan with a job of some other tasks moved, and all of these tasks' as far as they must be: to where one of its
// stages becomes ready with a stage of the late task's longest job, if nothing delays it. Often it then executes
// longest on that stage's resource alone.
BehaviourPlan aligned(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                      const BehaviourPlan& plan, size_t late, Random& random);

}  // namespace samcl::analysis
