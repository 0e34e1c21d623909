// How the manager's wish to see what a program does reaches those who can show it: they set this function. It begins to
// trace, or goes on, until that time (ns of the monotonic clock), and returns the descriptor of the memory where; -1:
// it cannot. It is called by threads that take leases.
#pragma once

#include <atomic>
#include <cstdint>

namespace samcl::lease {

inline std::atomic<int (*)(uint64_t until_ns)> begin_trace{nullptr};

}  // namespace samcl::lease
