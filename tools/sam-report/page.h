// A page of what samcl did for a program, from its report (SAMCL_REPORT) and perhaps its trace (SAMCL_TRACE): one HTML
// text that needs nothing else. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace samcl::report {

// Errors: one of the texts is not what it should be. trace: "" if there is none.
Result<std::string> page(const std::string& report, const std::string& trace);

}  // namespace samcl::report
