// Whether what programs did, as their traces tell, is a schedule of the model: the analyses' bounds are of
// such schedules alone. Pure.
//
// Rules:
//
// - exclusion: a link or GPU is one program's at a time.
// - section: no section is longer than its task's are. Those of programs that no profile tells of matter only while a
//   task waits for them, at whose priority they then run: before that, tasks may have the CPU that they need.
// - priority: who makes a more urgent program wait does so for one section, and none takes the resource before it.
// - stages: a job has links and GPUs for no longer than its stages do in its mode.
// - period: jobs are released no sooner than a period after each other.
// - bound: no job takes longer than its bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

struct LiveSchedule {
  struct Program {
    std::string name;
    std::optional<size_t> task;  // of the set; none: no profile tells of it, and it is less urgent than all tasks
  };
  // A program had a link or GPU; `name` is the same for all programs.
  struct Holding {
    size_t program = 0;
    Resource kind = Resource::gpu;
    std::string name;
    Time begin = 0, end = 0;
    Time section = 0;  // its longest
  };
  struct Wait {
    size_t program = 0;
    Resource kind = Resource::gpu;
    std::string name;
    Time begin = 0, end = 0;
  };
  struct Job {
    size_t program = 0;
    Time begin = 0, end = 0;
  };
  std::vector<Program> programs;
  std::vector<Holding> holdings;
  std::vector<Wait> waits;
  std::vector<Job> jobs;
};

struct Violation {
  enum class Rule { exclusion, section, priority, stages, period, bound };
  Rule rule = Rule::exclusion;
  Time at = 0;
  std::string what;
};
const char* name(Violation::Rule rule);

// Who is granted first: by the tasks' priorities, or in some other order (by deadline, by arrival), of which neither
// the rule of priority nor that of bounds says anything.
enum class GrantOrder { priority, other };

// The earliest first. `tolerance`: by how much clocks and hand-overs may be off. `bounds`: of the set in
// these modes.
std::vector<Violation> check_live(const TaskSet& set, const Modes& modes, const Bounds& bounds,
                                  const LiveSchedule& live, Time tolerance, GrantOrder order = GrantOrder::priority);

}  // namespace samcl::analysis
