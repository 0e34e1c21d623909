// What a launch will cost, predicted from where the bytes are that it needs.
#pragma once

#include <cstdint>
#include <functional>

#include "libsamcl/cost/ways.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

// Which of a storage's directories: what is, or what would be on the way that is not taken.
using DirectoryOf = std::function<Directory&(Storage&)>;

// ns until the parts of a plan have what they need.
uint64_t moving_ns(const LaunchPlan& plan, const TransferRates& rates, const DirectoryOf& directory);

// ns of the whole launch, of which one device computes `whole_ns`. busy_groups: as many work-groups keep a device as
// busy as it can be; fewer take it no less time, since each of them takes its own.
uint64_t launch_ns(const LaunchPlan& plan, uint64_t whole_ns, uint64_t busy_groups, const TransferRates& rates,
                   const DirectoryOf& directory);

// Notes in these directories what holds after the launch.
void simulate(const LaunchPlan& plan, const DirectoryOf& directory);

}  // namespace samcl
