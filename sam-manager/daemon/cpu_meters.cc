#include "sam-manager/daemon/cpu_meters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace samcl::daemon {
namespace {

constexpr size_t kMostThreads = 64;  // of a program, each with a descriptor of ours

// Counts the CPU time of the thread from now on; -1: the system refuses.
int open_clock(pid_t thread) {
  perf_event_attr clock{};
  clock.size = sizeof clock;
  clock.type = PERF_TYPE_SOFTWARE;
  clock.config = PERF_COUNT_SW_TASK_CLOCK;
  clock.exclude_kernel = clock.exclude_hv = 1;  // a matter of rights alone: the clock runs in both
  return static_cast<int>(syscall(SYS_perf_event_open, &clock, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

uint64_t read_clock(int clock) {
  uint64_t ns = 0;
  return read(clock, &ns, sizeof ns) == sizeof ns ? ns : 0;
}

// As the kernel numbers the CPU clock of a process.
std::optional<uint64_t> process_clock_ns(pid_t process) {
  constexpr int kScheduled = 2;
  timespec now{};
  const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(process) << 3 | kScheduled);
  if (clock_gettime(clock, &now) != 0) return std::nullopt;
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t tick_ns() {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  return static_cast<uint64_t>(tick.tv_nsec);
}

bool can_be_exact() { return static_cast<bool>(protocol::Descriptor(open_clock(0))); }

}  // namespace

CpuMeters::CpuMeters(bool exactly) : is_exact_(exactly && can_be_exact()), tick_ns_(tick_ns()) {}

void CpuMeters::watch(pid_t process, pid_t thread) {
  Program& program = programs_[process];
  if (program.by_process) return;
  if (const auto known = program.threads.find(thread); known != program.threads.end()) {
    program.before_ns += read_clock(known->second.get());
    program.threads.erase(known);
  }
  protocol::Descriptor clock(is_exact_ && program.threads.size() < kMostThreads ? open_clock(thread) : -1);
  if (clock)
    program.threads[thread] = std::move(clock);
  else
    take_process_clock(process, program);
}

void CpuMeters::take_process_clock(pid_t process, Program& program) {
  for (const auto& [thread, clock] : program.threads) program.before_ns += read_clock(clock.get());
  program.threads.clear();
  program.by_process = true;
  program.begin_ns = process_clock_ns(process).value_or(0);
}

uint64_t CpuMeters::lag_ns() const {
  const bool lags = std::ranges::any_of(programs_, [](const auto& entry) { return entry.second.by_process; });
  return is_exact_ && !lags ? 0 : tick_ns_;
}

std::optional<scheduler::CpuUse> CpuMeters::use(pid_t process) const {
  const auto found = programs_.find(process);
  if (found == programs_.end()) return std::nullopt;
  const Program& program = found->second;
  const auto cpus = static_cast<unsigned>(std::max(1, get_nprocs()));
  if (program.by_process) {
    const auto now = process_clock_ns(process);
    if (!now) return std::nullopt;
    return scheduler::CpuUse{program.before_ns + *now - std::min(*now, program.begin_ns), cpus};
  }
  scheduler::CpuUse use{program.before_ns, std::min(cpus, static_cast<unsigned>(program.threads.size()))};
  for (const auto& [thread, clock] : program.threads) use.ns += read_clock(clock.get());
  return use;
}

}  // namespace samcl::daemon
