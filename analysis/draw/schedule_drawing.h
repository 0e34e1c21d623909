// A schedule as a picture: a line per element (CPU 1, ..., GPU n), time from left to right.
#pragma once

#include <string>

#include "analysis/sim/study.h"

namespace samcl::analysis {

struct Frame {
  Time begin = 0;
  Time end = 0;
};

// From the release of the job to its end, and some of what surrounds it.
Frame around(const FinishedJob& job);

// A letter per column: the task that has the element for most of that time ('A' is the set's first task),
// '.' for none; below, a line per task with its releases (|) and ends (*), and the letters' meaning.
std::string schedule_text(const TaskSet& set, const Schedule& schedule, const Frame& frame, int columns = 96);

// SVG: a colour per task, releases as upward and deadlines as downward arrows, ends as circles.
std::string schedule_svg(const TaskSet& set, const Schedule& schedule, const Frame& frame, const std::string& title);

}  // namespace samcl::analysis
