// Times as people write them: "40ms", "2.5 us"; whole nanoseconds inside.
#pragma once

#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// A number with unit ns, us, ms or s, that is a whole number of nanoseconds. Exact: no rounding.
Result<Time> parse_time(const std::string& text);

// In its largest unit with at most three digits before the point, nothing rounded: "3.1 ms", "12.000001 s".
std::string format_time(Time time);

}  // namespace samcl::analysis
