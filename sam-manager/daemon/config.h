// The daemon's configuration: a TOML file (sam-managerd.toml.example explains every key) and options.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "sam-manager/daemon/calibration.h"
#include "sam-manager/daemon/overruns.h"
#include "sam-manager/daemon/rights.h"
#include "sam-manager/planning/assignment.h"

namespace samcl::daemon {

struct Config {
  std::string instance = "default";
  std::string group;            // may use everything unless access.allow says more; "": samcl if it exists
  int default_priority = 0;     // of programs that are no registered task
  uint32_t default_weight = 1;  // likewise
  std::string state_file;       // where tasks are kept; "": default_state_file(instance)
  std::string log_level = "info";
  bool realtime = true;  // real-time priorities for ourselves and for the threads of tasks
  std::string metrics;   // where Prometheus reads: a path, or a port of 127.0.0.1; "": nowhere
  AccessRules access;
  OverrunPolicy overrun = OverrunPolicy::log;
  // How long after its CPU time is used up a job may be found out, at most, but for the system's clocks; 0: nobody
  // looks.
  uint64_t cpu_watch_ns = 1'000'000;
  bool throttle = false;       // jobs that come faster than their period are less urgent than all tasks until it begins
  uint64_t hold_ns = 0;        // of tasks that say nothing else (registry::Task)
  uint64_t device_memory = 0;  // of each device, bytes; 0: what programs tell
  bool strict = false;         // tasks that would break a guarantee are refused
  int cpus = 0;                // that programs share; 0: all there are
  int gpus = 0;                // likewise; 0: as many as programs name
  bool measure_handovers = true;                        // else they are planning.handovers
  std::optional<Calibration> calibration;               // not of the file: of this machine
  std::string policy = scheduler::kFixedPriority.name;  // by which the scheduler grants
  planning::Settings planning;                          // its policy is the one that is in force
};

// Errors name the file and, where there is one, the line.
Result<Config> read_config(const std::string& file);
Result<Config> parse_config(const std::string& text, const std::string& file);

// Beside the tasks: what hand-overs cost. "": tasks are not kept.
std::string calibration_file(const Config& config);

// For root /var/lib/samcl/<instance>.json, else below $XDG_STATE_HOME or ~/.local/state.
std::string default_state_file(const std::string& instance);

}  // namespace samcl::daemon
