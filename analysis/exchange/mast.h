// A task set in MAST's text format (https://mast.unican.es, versions 1.3 to 1.5).
#pragma once

#include "analysis/exchange/stations.h"

namespace samcl::analysis {

// Each task is a transaction, each station a processing resource with a fixed-priority scheduler, links and
// GPUs with servers that nothing preempts. Times in whole nanoseconds. Larger priorities are more urgent.
// What stations_of() names cannot be expressed; names are taken over as far as MAST knows their letters.
Result<std::string> format_mast(const TaskSet& set, std::span<const int> modes);

}  // namespace samcl::analysis
