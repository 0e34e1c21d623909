// The clock that all times are of, unless something else is said.
#pragma once

#include <cstdint>
#include <ctime>

namespace samcl {

// CLOCK_MONOTONIC, ns: the same for all processes.
inline uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace samcl
