// The CPUs of containers (policy "containers"): the last of those that the daemon may use is that of the first GPU's
// container, the one before that of the second, and so on. All threads of a container's programs run there, and those
// that they make, which inherit it.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace samcl::daemon {

class ContainerCpus {
 public:
  ContainerCpus();   // of this process
  ~ContainerCpus();  // puts all back
  ContainerCpus(const ContainerCpus&) = delete;
  ContainerCpus& operator=(const ContainerCpus&) = delete;

  // Binds a program's process to the CPU of that GPU's container; none: each of its threads may run where it might
  // before. `program`: a name for the process, until it is bound to none. False: there is no such CPU, or the system
  // does not allow it; then the process is left as it is.
  bool bind(uint32_t program, pid_t process, std::optional<uint8_t> gpu);

 private:
  struct Bound {
    pid_t process = 0;
    uint64_t started = 0;                // the process, as protocol::process_start_time() has it
    cpu_set_t before{};                  // of the thread that was seen first
    std::map<pid_t, cpu_set_t> threads;  // each before
  };
  static void put_back(const Bound& bound);

  std::vector<int> cpus_;
  std::map<uint32_t, Bound> bound_;
};

}  // namespace samcl::daemon
