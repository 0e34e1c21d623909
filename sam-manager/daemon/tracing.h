// Asks programs to trace what they do (`sam-ctl trace`), and says where they do it: each in memory of its own, which
// who asked opens by the number of its descriptor there. What is written is between these two; no lease waits for it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "sam-manager/daemon/report.h"

namespace samcl::daemon {

constexpr uint64_t kLongestTraceNs = 600'000'000'000;

// All programs that are connected now, until that time of the monotonic clock; a program begins with its next lease.
// Their pids, tasks, devices and descriptors (0: it has not begun).
Document ask_for_traces(const Broker& broker, uint64_t until_ns);

}  // namespace samcl::daemon
