// What the threads of programs have computed that run with their tasks' priorities, as we tell it from outside.
//
//   exact   the kernel's performance events of each such thread, which tell also what a thread
//           has computed that does so at the moment: for a privileged manager (CAP_PERFMON), or its
//           own user's programs where kernel.perf_event_paranoid is at most 2
//   ticks   the CPU clock of the whole process, for anybody: it counts all threads of the program,
//           and is behind by up to a tick for each that computes at the moment
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sam-manager/protocol/descriptor.h"
#include "sam-manager/scheduler/cpu_budgets.h"

namespace samcl::daemon {

class CpuMeters {
 public:
  // `exactly`: if the system allows it.
  explicit CpuMeters(bool exactly = true);

  // From now on the thread of the process counts, both as we number them; also another one that has got its number.
  void watch(pid_t process, pid_t thread);
  // None: no thread of it was watched, or it has ended.
  std::optional<scheduler::CpuUse> use(pid_t process) const;
  void forget(pid_t process) { programs_.erase(process); }

  // How far behind the clocks of those watched may be.
  uint64_t lag_ns() const;

 private:
  struct Program {
    std::map<pid_t, protocol::Descriptor> threads;  // those of ended ones, too; empty: by the process's clock,
    bool by_process = false;
    uint64_t before_ns = 0;  // and what was counted before
    uint64_t begin_ns = 0;   // when it told that
  };

  void take_process_clock(pid_t process, Program& program);

  const bool is_exact_;
  const uint64_t tick_ns_;
  std::map<pid_t, Program> programs_;
};

}  // namespace samcl::daemon
