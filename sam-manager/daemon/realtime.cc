#include "sam-manager/daemon/realtime.h"

#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "base/clock.h"
#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

std::optional<planning::RealTimeShare> realtime_share(const std::string& folder) {
  int64_t runtime_us = -1, period_us = 0;
  std::ifstream(folder + "/sched_rt_runtime_us") >> runtime_us;
  std::ifstream(folder + "/sched_rt_period_us") >> period_us;
  if (runtime_us < 0 || period_us <= 0 || runtime_us >= period_us) return std::nullopt;
  return planning::RealTimeShare{static_cast<uint64_t>(runtime_us) * 1000, static_cast<uint64_t>(period_us) * 1000};
}

void Realtime::take() {
  if (!wanted_) return;
  sched_param parameters{};
  parameters.sched_priority = sched_get_priority_max(SCHED_FIFO);
  works_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
  if (!works_)
    spdlog::warn("no real-time priority for the manager ({}); grants may be late on a busy machine",
                 std::strerror(errno));
  // With a limit, memory that we need later would be refused.
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (geteuid() != 0 && limit.rlim_cur != RLIM_INFINITY) return;
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    spdlog::warn("the manager's memory can't be locked ({})", std::strerror(errno));
}

bool Realtime::give(pid_t program, pid_t thread, int priority, bool for_now) {
  const pid_t own = program > 0 ? protocol::find_thread(program, thread) : 0;
  if (!wanted_ || own == 0 || priority == kLeaveAsItIs) return own != 0;
  sched_param parameters{};
  parameters.sched_priority = std::clamp(priority, 0, sched_get_priority_max(SCHED_FIFO) - 1);
  const int policy = parameters.sched_priority > 0 ? SCHED_FIFO : SCHED_OTHER;
  if (for_now) lender_.note_demotion(program, own, parameters.sched_priority, now_ns());
  const bool is_lent = lender_.rebase(own, static_cast<uint32_t>(policy), parameters.sched_priority);
  if (!is_lent && sched_setscheduler(own, policy | SCHED_RESET_ON_FORK, &parameters) != 0)
    tell("no real-time priorities for the threads of tasks", errno);
  if (!for_now) lender_.end_demotion(own);
  return true;
}

void Realtime::lend(uint32_t borrower, pid_t process, std::optional<int> priority) {
  const int lent = std::clamp(priority.value_or(0), 0, sched_get_priority_max(SCHED_FIFO) - 1);
  if (lent == 0) return lender_.take_back(borrower);
  if (!wanted_ || process <= 0) return;
  const int error = lender_.lend(borrower, process, lent, now_ns());
  if (error == EDQUOT)
    spdlog::warn("process {} is lent no priority, though others wait for it: it has a limit of real-time computing",
                 process);
  else if (error != 0)
    tell("no priority can be lent to those whom others wait for", error);
}

void Realtime::tell(const char* what, int error) {
  if (error == ESRCH) return;
  works_ = false;
  if (std::exchange(told_, true)) return;
  spdlog::warn("{} ({})", what, std::strerror(error));
}

}  // namespace samcl::daemon
