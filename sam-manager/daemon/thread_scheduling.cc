#include "sam-manager/daemon/thread_scheduling.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace samcl::daemon {

ThreadScheduling fifo(int priority) {
  ThreadScheduling scheduling;
  scheduling.policy = SCHED_FIFO;
  scheduling.priority = static_cast<uint32_t>(priority);
  scheduling.flags = SCHED_FLAG_RESET_ON_FORK;
  return scheduling;
}

bool is_as_urgent(const ThreadScheduling& scheduling, int priority) {
  const bool by_priority = scheduling.policy == SCHED_FIFO || scheduling.policy == SCHED_RR;
  return scheduling.policy == SCHED_DEADLINE || (by_priority && scheduling.priority >= static_cast<uint32_t>(priority));
}

std::optional<ThreadScheduling> scheduling_of(pid_t thread) {
  sched_attr raw{};
  if (syscall(SYS_sched_getattr, thread, &raw, sizeof raw, 0) != 0) return std::nullopt;
  return ThreadScheduling{raw.sched_policy,  raw.sched_nice,     raw.sched_priority, raw.sched_flags,
                          raw.sched_runtime, raw.sched_deadline, raw.sched_period};
}

int set_scheduling(pid_t thread, const ThreadScheduling& scheduling) {
  sched_attr raw{};
  raw.size = sizeof raw;
  raw.sched_policy = scheduling.policy;
  raw.sched_nice = scheduling.nice;
  raw.sched_priority = scheduling.priority;
  raw.sched_flags = scheduling.flags;
  raw.sched_runtime = scheduling.runtime;
  raw.sched_deadline = scheduling.deadline;
  raw.sched_period = scheduling.period;
  return syscall(SYS_sched_setattr, thread, &raw, 0) == 0 ? 0 : errno;
}

}  // namespace samcl::daemon
