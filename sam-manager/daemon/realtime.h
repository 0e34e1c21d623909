// Real-time priorities of the daemon and of its clients' threads.
#pragma once

#include <sys/types.h>

#include <climits>

namespace samcl::daemon {

constexpr int kLeaveAsItIs = INT_MIN;

class Realtime {
 public:
  explicit Realtime(bool wanted) : wanted_(wanted) {}

  // The highest SCHED_FIFO priority for us, and our memory locked. Where the system does not allow it, says
  // so and goes on.
  void take();

  // Gives a thread of a program, as that program numbers it, the priority of its task: SCHED_FIFO at that
  // number, at most one below ours; 0 or less is the ordinary scheduler, kLeaveAsItIs none of both. False: it
  // is no thread of that program, and was left alone. Says once if the system does not allow it.
  bool give(pid_t program, pid_t thread, int priority);

 private:
  bool wanted_;
  bool told_ = false;
};

}  // namespace samcl::daemon
