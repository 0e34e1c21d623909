// Has the manager's programs trace what they do for a while, and brings it together.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "sam-manager/protocol/connection.h"

namespace samcl::ctl {

struct Collected {
  std::string trace;                // of all programs
  size_t programs = 0;              // in it
  std::vector<std::string> doubts;  // what could not be had, and why
};

// Blocks for `seconds`, or until `stop`. Errors: the manager's.
Result<Collected> collect_traces(protocol::Connection& manager, double seconds, const std::atomic<bool>& stop);

}  // namespace samcl::ctl
