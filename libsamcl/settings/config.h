// The settings that sam-run or a user gives through the environment, read once. README.md has the table.
#pragma once

#include <string>

namespace samcl {

struct Config {
  enum class Manager { automatic, off, required };
  enum class Mix { off, on, exact };
  enum class Transport { automatic, shared, peer, windows, one_context, one_server, staged };
  enum class Submission { automatic, caller, thread };
  enum class Strands { automatic, always, never };
  enum class Gathering { automatic, always, never };
  enum class Ordering { automatic, host, device };
  enum class Direct { automatic, always, never };

  std::string devices;                   // SAMCL_DEVICES: which real devices, in which order; empty: all
  unsigned gpus = 0;                     // SAMCL_GPUS: devices a kernel is split over; 0: all of its group
  Mix mix = Mix::off;                    // SAMCL_MIX=off|on|exact: join devices that are not alike, too (README.md)
  bool survive = false;                  // SAMCL_SURVIVE=off|on: go on when a device is lost
  double share = 1;                      // SAMCL_SHARE: which part of each device (driver/share.h)
  bool always_split = false;             // SAMCL_SPLIT=auto|always: also where it was measured to be slower
  bool split_printf = false;             // SAMCL_SPLIT_PRINTF=0|1: kernels that print, too; their lines in any order
  Manager manager = Manager::automatic;  // SAMCL_MANAGER=auto|off|required
  Transport transport = Transport::automatic;  // SAMCL_TRANSPORT=auto|shared|peer|windows|one-context|one-server|
                                               // staged: how bytes pass between devices
  Submission submission =
      Submission::automatic;             // SAMCL_SUBMISSION=auto|caller|thread: who gives operations to a driver
  Strands strands = Strands::automatic;  // SAMCL_STRANDS=auto|always|off: what command queues have beside each other
  Gathering gathering = Gathering::automatic;  // SAMCL_GATHERING=auto|always|off: whether launches that wait run as one
  Ordering ordering = Ordering::automatic;     // SAMCL_ORDERING=auto|host|device: who has devices wait for each other
  std::string instance = "default";            // SAMCL_INSTANCE: which sam-managerd
  std::string task;                            // SAMCL_TASK: our task's name there
  std::string report;                          // SAMCL_REPORT: "-" (table on stderr), a file for JSON, or empty
  std::string trace;                           // SAMCL_TRACE: a file for JSON (trace.h), or empty
  std::string plan;                   // SAMCL_PLAN=dot:FILE: a file for a picture (observe/plan_graph.h), or empty
  std::string what_if;                // SAMCL_WHAT_IF: machines to predict for (cost/imagined_machines.h), or empty
  std::string what_if_to;             // SAMCL_WHAT_IF_TO: a file for JSON; empty: a table on stderr
  std::string translator;             // SAMCL_TRANSLATOR; default: sam-translate beside libsamcl.so
  std::string cache_directory;        // SAMCL_CACHE_DIR; default: $XDG_CACHE_HOME/samcl or ~/.cache/samcl
  Direct direct = Direct::automatic;  // SAMCL_DIRECT=auto|on|off: whether a device that is the only one has the
                                      // driver's own objects

  // Never destroyed. A value that makes no sense is warned of once and replaced by the default.
  static const Config& get();
};

// Prints "samcl: <message>" on stderr, each distinct message once.
void warn(const std::string& message);

}  // namespace samcl
