// Times as people write them: "40ms", "2.5 us"; whole nanoseconds inside.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace samcl {

// To ns: a number that is not negative, with unit ns, us, ms or s, that is a whole number of nanoseconds. Exact: no
// rounding.
Result<int64_t> parse_duration(const std::string& text);

// In its largest unit with at most three digits before the point, nothing rounded: "3.1 ms", "12.000001 s".
std::string format_duration(int64_t ns);

}  // namespace samcl
