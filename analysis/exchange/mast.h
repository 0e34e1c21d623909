// A task set in MAST's text format (https://mast.unican.es, versions 1.3 to 1.5), which says nothing of units.
#pragma once

#include "analysis/exchange/stations.h"

namespace samcl::analysis {

inline constexpr const char* kMastNanoseconds = "-- Times in nanoseconds.\n";  // what format_mast() begins with

// Each task is a transaction, each station a processing resource with a fixed-priority scheduler, links and
// GPUs with servers that nothing preempts. Times in whole nanoseconds. Larger priorities are more urgent.
// What stations_of() names cannot be expressed; names are taken over as far as MAST knows their letters.
Result<std::string> format_mast(const TaskSet& set, std::span<const int> modes);

// Transactions of one external event and activities one after the other, on one processor, and on processors
// that nothing preempts: those whose names begin with PCI are links, the others GPUs; a link belongs to the
// GPU of the same name behind the first underscore. Times are numbers of `unit` nanoseconds; of one, where
// it says so as format_mast()'s text does. What else a model has is an error that names its line. The set has passed
// check() for Model::partitioned.
Result<TaskSet> parse_mast(const std::string& text, Time unit);

}  // namespace samcl::analysis
