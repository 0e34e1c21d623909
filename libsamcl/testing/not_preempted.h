// While it lives the calling thread is not kept waiting by other processes, if it may have a real-time priority: for
// tests in which threads of the runtime wait some tens of microseconds for what the program does next. Threads that it
// makes are ordinary ones.
#pragma once

#include <sched.h>

namespace samcl::testing {

class NotPreempted {
 public:
  NotPreempted() : was_(sched_getscheduler(0)) {
    sched_getparam(0, &priority_);
    const sched_param lowest{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    static_cast<void>(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest));
  }
  ~NotPreempted() { static_cast<void>(sched_setscheduler(0, was_, &priority_)); }
  NotPreempted(const NotPreempted&) = delete;
  NotPreempted& operator=(const NotPreempted&) = delete;

 private:
  const int was_;
  sched_param priority_{};
};

}  // namespace samcl::testing
