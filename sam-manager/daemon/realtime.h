// Real-time priorities of the daemon and of its clients' threads.
#pragma once

#include <sys/types.h>

#include <climits>
#include <cstdint>
#include <optional>
#include <string>

#include "sam-manager/daemon/lender.h"
#include "sam-manager/planning/assignment.h"

namespace samcl::daemon {

constexpr int kLeaveAsItIs = INT_MIN;

// As the kernel says it; none: it lets real-time threads have all of each CPU.
std::optional<planning::RealTimeShare> realtime_share(const std::string& folder = "/proc/sys/kernel");

class Realtime {
 public:
  Realtime(bool wanted, LoanBook& book) : wanted_(wanted), lender_(book) {}

  // The highest SCHED_FIFO priority for us, and our memory locked. Where the system does not allow it, says
  // so and goes on.
  void take();

  // As far as was tried.
  bool works() const { return wanted_ && works_; }

  // Gives a thread of a program, as that program numbers it, the priority of its task: SCHED_FIFO at that
  // number, at most one below ours; 0 or less is the ordinary scheduler, kLeaveAsItIs none of both. `for_now`: until it
  // is given another one, or we end, however that happens. False: it is no thread of that program, and was left alone.
  // Says once if the system does not allow it.
  bool give(pid_t program, pid_t thread, int priority, bool for_now = false);

  // Lends all threads of a process that priority, or takes it back. `borrower`: a name for the process.
  void lend(uint32_t borrower, pid_t process, std::optional<int> priority);
  void forget(uint32_t borrower, pid_t process) {
    lender_.forget(borrower);
    lender_.end_demotions_of(process);
  }

 private:
  void tell(const char* what, int error);

  bool wanted_;
  bool told_ = false;
  bool works_ = true;
  Lender lender_;
};

}  // namespace samcl::daemon
