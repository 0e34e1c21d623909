// Real-time priorities of the daemon and of its clients' threads.
#pragma once

#include <sys/types.h>

namespace samcl::daemon {

class Realtime {
 public:
  explicit Realtime(bool wanted) : wanted_(wanted) {}

  // The highest SCHED_FIFO priority for us, and our memory locked. Where the system does not allow it, says
  // so and goes on.
  void take();

  // Gives a thread of a program the priority of its task: SCHED_FIFO at that number, at most one below ours;
  // 0 or less is the ordinary scheduler. A thread that is not the program's is left alone. Says once if the
  // system does not allow it.
  void give(pid_t program, pid_t thread, int priority);

 private:
  bool wanted_;
  bool told_ = false;
};

}  // namespace samcl::daemon
