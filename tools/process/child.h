// Running a program to its end or to a time limit: what it wrote, and how it ended.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::process {

struct Ending {
  int exit_code = -1;      // if it ended by itself; else -1
  int signal = 0;          // that ended it; 0: none
  bool timed_out = false;  // it was killed at the limit
  double seconds = 0;      // from start to end
  bool realtime = false;   // its threads had a real-time priority
  std::string out, err;    // what it wrote to stdout and stderr
};

// Runs argv[0] (looked for in PATH) in this process's environment with `changes` applied; an empty value
// removes a variable. Kills it with SIGKILL after `limit_s` seconds. Programs that it leaves behind are not
// waited for, also if they keep its output open. realtime: its threads have the least real-time priority, if the system
// allows it; the calling thread has the next one meanwhile, so that it can still end what keeps all CPUs. Error: it
// cannot be started.
Result<Ending> run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& changes,
                   double limit_s, bool realtime = false);

}  // namespace samcl::process
