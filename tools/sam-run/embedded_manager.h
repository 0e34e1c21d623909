// A private sam-managerd for one program and its children.
#pragma once

#include <string>

#include "libsamcl/result.h"

namespace samcl::run {

// Starts `daemon` (sam-managerd) as instance run.<pid of this process> and waits until it says it is ready.
// It ends with this process, which is to become the program. Returns the instance's name. Errors: the daemon
// is missing, ended, or was not ready within `limit_ms`.
Result<std::string> start_embedded_manager(const std::string& daemon, int limit_ms = 5000);

}  // namespace samcl::run
