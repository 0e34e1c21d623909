// Which commands of a run belong to which job. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sam-profile/trace.h"

namespace samcl::profile {

// How jobs were told apart, the surest first.
enum class Boundaries {
  marks,    // samcl_job_begin() and samcl_job_end()
  pattern,  // the same kinds of commands come again and again
  gaps,     // long times without any command
  none,     // nothing tells: the whole run is one job
};
const char* name(Boundaries boundaries);

// With marks a job lasts from its begin to its end; else from its first command's enqueueing to its last
// one's end, and what the host does before and after is not seen.
struct Job {
  Time begin = 0, end = 0;
  std::vector<Command> commands;
};

struct Segmentation {
  Boundaries how = Boundaries::none;
  std::string words;  // the same for people, with numbers
  std::vector<Job> jobs;
  size_t outside = 0;  // commands that are part of no job: set-up, and what is left at the end
};

// `expected`: how many jobs the program runs, if the user knows it. A pattern or gaps that give another
// number are then not taken; marks always are.
Segmentation split_into_jobs(const Trace& trace, std::optional<size_t> expected);

// A sequence's repeated part: positions begin, begin + 1, ... where each symbol is the one `period` before.
struct Repetition {
  size_t begin = 0;   // of the first repeat
  size_t period = 0;  // 0: nothing repeats
  size_t length = 0;  // of all repeats together; the last may be incomplete
};

// The longest repetition, and of equally long ones that with the shortest period: an inner loop repeats as
// well, but only within a job. `expected` repeats if given, else at least three.
Repetition find_repetition(const std::vector<unsigned>& symbols, std::optional<size_t> expected);

}  // namespace samcl::profile
