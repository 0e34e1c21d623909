// The clock by which the daemon goes.
#pragma once

#include <cstdint>
#include <ctime>

namespace samcl::daemon {

// CLOCK_MONOTONIC, ns: the same for all processes.
inline uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace samcl::daemon
