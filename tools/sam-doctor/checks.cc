#include "tools/sam-doctor/checks.h"

#include <sched.h>

namespace samcl::doctor {

Finding about_devices(const Result<unsigned>& devices) {
  if (!devices)
    return {false, "OpenCL devices: " + devices.error().message,
            "install the driver of your GPUs with its OpenCL part; `clinfo -l` must list them (on Debian, "
            "pocl-opencl-icd makes devices of the CPU)"};
  if (*devices == 1) return {true, "OpenCL devices: 1; programs run as without samcl, with nothing to split over", ""};
  return {true, "OpenCL devices: " + std::to_string(*devices), ""};
}

Finding about_part(const std::string& name, const std::string& file, const std::string& without) {
  if (!file.empty()) return {true, name + ": " + file, ""};
  return {false, name + " is missing beside this program", "install samcl as a whole; without it " + without};
}

Finding about_cache(const std::string& directory, bool writable) {
  if (writable) return {true, "translator's cache: " + directory, ""};
  return {false, "translator's cache: no files can be made in " + directory,
          "make it writable, or set SAMCL_CACHE_DIR to a directory that is; without it each start translates "
          "anew"};
}

Finding about_manager(const std::string& instance, const Result<void>& manager) {
  if (manager) return {true, "manager \"" + instance + "\": it runs, and we may use it", ""};
  const bool is_absent = manager.error().message.starts_with("no sam-managerd");
  return {false, "manager \"" + instance + "\": " + manager.error().message,
          is_absent ? "only needed for several programs with priorities: systemctl start sam-managerd, or sam-managerd"
                    : "see [access] in `man sam-managerd.toml`, or join the group samcl"};
}

Finding about_realtime(int policy) {
  if ((policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO && policy >= 0)
    return {true, "manager's priority: real-time, so that it can give tasks theirs", ""};
  return {false, policy < 0 ? "manager's priority: it does not run" : "manager's priority: an ordinary process",
          "run it as the service, as root, or with CAP_SYS_NICE; without it nothing is guaranteed on a busy CPU"};
}

Finding about_throttling(int64_t runtime_us) {
  if (runtime_us == -1 || runtime_us >= 900'000)
    return {true,
            "real-time threads may have " +
                (runtime_us == -1 ? std::string("all") : std::to_string(runtime_us / 10'000) + " %") + " of a CPU",
            ""};
  return {false, "real-time threads may have only " + std::to_string(runtime_us / 10'000) + " % of a CPU",
          "sysctl kernel.sched_rt_runtime_us=950000"};
}

Finding about_open_files(uint64_t limit) {
  constexpr uint64_t kEnough = 1024;
  if (limit >= kEnough) return {true, "open files: up to " + std::to_string(limit), ""};
  return {false, "open files: up to " + std::to_string(limit), "ulimit -n " + std::to_string(kEnough)};
}

std::string to_lines(const Finding& finding) {
  return finding.fine ? "OK    " + finding.what + "\n" : "FIX   " + finding.what + "\n      " + finding.advice + "\n";
}

}  // namespace samcl::doctor
