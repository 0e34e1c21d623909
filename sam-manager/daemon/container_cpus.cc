#include "sam-manager/daemon/container_cpus.h"

#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

ContainerCpus::ContainerCpus() {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu)
    if (CPU_ISSET(cpu, &all)) cpus_.push_back(cpu);
}

ContainerCpus::~ContainerCpus() {
  for (const auto& [program, bound] : bound_) put_back(bound);
}

bool ContainerCpus::bind(uint32_t program, pid_t process, std::optional<uint8_t> gpu) {
  if (!gpu) {
    if (const auto known = bound_.find(program); known != bound_.end()) put_back(known->second);
    bound_.erase(program);
    return true;
  }
  if (process <= 0 || *gpu >= cpus_.size()) return false;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(cpus_[*gpu], &own);
  Bound& bound = bound_[program];
  if (bound.process == 0) bound = {process, protocol::process_start_time(process), {}, {}};
  // A thread that is made meanwhile by one that is not bound yet is found the next time.
  for (bool is_complete = false; !is_complete;) {
    is_complete = true;
    for (const pid_t thread : protocol::process_threads(process)) {
      cpu_set_t now;
      if (sched_getaffinity(thread, sizeof now, &now) != 0 || CPU_EQUAL(&now, &own)) continue;
      if (sched_setaffinity(thread, sizeof own, &own) != 0) return false;
      if (bound.threads.empty()) bound.before = now;
      bound.threads.try_emplace(thread, now);
      is_complete = false;
    }
  }
  return true;
}

void ContainerCpus::put_back(const Bound& bound) {
  if (bound.threads.empty() || protocol::process_start_time(bound.process) != bound.started) return;
  for (const pid_t thread : protocol::process_threads(bound.process)) {
    const auto known = bound.threads.find(thread);
    const cpu_set_t& before = known == bound.threads.end() ? bound.before : known->second;
    sched_setaffinity(thread, sizeof before, &before);
  }
}

}  // namespace samcl::daemon
