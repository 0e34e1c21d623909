// How the kernel schedules a thread, as sched_setattr(2) has it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace samcl::daemon {

struct ThreadScheduling {
  uint32_t policy = 0;    // SCHED_OTHER, SCHED_FIFO, ...
  int32_t nice = 0;       // of those without a real-time policy
  uint32_t priority = 0;  // of SCHED_FIFO and SCHED_RR
  uint64_t flags = 0;     // SCHED_FLAG_RESET_ON_FORK: what the thread makes is scheduled as any other
  uint64_t runtime = 0, deadline = 0, period = 0;  // ns

  bool operator==(const ThreadScheduling&) const = default;
};

// SCHED_FIFO at that priority; nothing that the thread makes inherits it.
ThreadScheduling fifo(int priority);

// Whether it runs before a SCHED_FIFO thread of that priority, or in turn with it.
bool is_as_urgent(const ThreadScheduling& scheduling, int priority);

// Of the thread with that number; none if there is no such thread.
std::optional<ThreadScheduling> scheduling_of(pid_t thread);

// 0, or errno's value.
int set_scheduling(pid_t thread, const ThreadScheduling& scheduling);

}  // namespace samcl::daemon
