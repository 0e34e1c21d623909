// A private sam-managerd for one program and its children.
#pragma once

#include <string>

#include "base/result.h"

namespace samcl::run {

// Starts `daemon` (sam-managerd) as instance run.<pid of this process> and waits until it says it is ready.
// It ends with this process, which is to become the program, but is not its child: a program that waits for all its
// children must not wait for the daemon. Returns the instance's name. Errors: the daemon is missing, or ended.
Result<std::string> start_embedded_manager(const std::string& daemon);

}  // namespace samcl::run
