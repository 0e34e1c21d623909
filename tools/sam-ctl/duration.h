// Times as people write them: "40ms", "2.5 s", "800us".
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace samcl::ctl {

// To ns; needs a unit (ns, us, ms, s), and must be at least 1 ns and at most a day.
Result<uint64_t> parse_duration(const std::string& text);

// With the unit in which it reads best.
std::string format_duration(uint64_t ns);

}  // namespace samcl::ctl
