// A process beside the daemon that does nothing but put back what was lent once the daemon has died, or has
// stopped moving: so that no program of others stays at a real-time priority. (If both are killed at once,
// the next daemon finds the book.)
#pragma once

#include <sys/types.h>

#include "sam-manager/daemon/loan_book.h"
#include "sam-manager/protocol/descriptor.h"

namespace samcl::daemon {

class LoanWatchdog {
 public:
  // Before there are other threads. Where the system does not allow another process, there is none.
  explicit LoanWatchdog(const LoanBook& book);
  ~LoanWatchdog();  // ends it
  LoanWatchdog(const LoanWatchdog&) = delete;
  LoanWatchdog& operator=(const LoanWatchdog&) = delete;

 private:
  pid_t process_ = -1;
  protocol::Descriptor life_;  // a pipe's end: closed when we end, in whatever way
};

}  // namespace samcl::daemon
