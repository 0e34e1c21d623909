// What programs did beyond what was promised of them. Pure data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace samcl::daemon {

// What is done about it, besides its being logged and counted.
enum class OverrunPolicy {
  log,     // nothing
  demote,  // the program is less urgent than all guaranteed tasks, until it has behaved for a period
  end,     // and what it held for too long is taken back as a dead program's is
};

struct Overruns {
  uint64_t sections = 0;            // a more urgent program waited for longer than its section may take
  uint64_t longest_section_ns = 0;  // of these
  uint64_t early_jobs = 0;          // jobs that came faster than the task's period
  uint64_t throttled_jobs = 0;      // of these, jobs that were less urgent than all tasks until their period began
  uint64_t long_jobs = 0;           // jobs that executed for longer than the task's profile says
  uint64_t greedy_jobs = 0;  // that had what others waited for longer than the profile says, or after their bound
  uint64_t cpu_jobs = 0;     // that computed for longer than the profile says
  // That asked for what somebody less urgent had more often than the profile says.
  uint64_t asking_jobs = 0;
  uint64_t memory = 0;  // times that it began to have more of a device's memory than its task reserved

  void add_section(uint64_t ns) {
    ++sections;
    longest_section_ns = std::max(longest_section_ns, ns);
  }
  uint64_t count() const { return sections + early_jobs + long_jobs + greedy_jobs + cpu_jobs + asking_jobs + memory; }
  nlohmann::json describe() const {
    return {{"sections", sections},     {"longest_section_ns", longest_section_ns},
            {"early_jobs", early_jobs}, {"throttled_jobs", throttled_jobs},
            {"long_jobs", long_jobs},   {"greedy_jobs", greedy_jobs},
            {"cpu_jobs", cpu_jobs},     {"asking_jobs", asking_jobs},
            {"memory", memory}};
  }
};

}  // namespace samcl::daemon
