// What this thread has computed so far, in ns: the time of an algorithm, whatever else the machine does.
#pragma once

#include <cstdint>
#include <ctime>

namespace samcl::analysis {

inline int64_t cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline double cpu_seconds() { return static_cast<double>(cpu_time()) * 1e-9; }

}  // namespace samcl::analysis
