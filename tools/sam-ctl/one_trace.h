// The traces of several programs as one, on one time line: each program's own rows, and above them the machine's, one
// for each device and link, with who had it when. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::ctl {

struct ProgramTrace {
  std::string name;                  // as it is to be shown on a device: its task, or its process
  std::vector<std::string> devices;  // their names, in the program's order
  std::string text;                  // what it wrote
  std::string task = {};             // "": it is none
};

// Times are the machine's, so nothing is shifted. Errors: a text is no trace; the name says whose.
Result<std::string> one_trace(const std::vector<ProgramTrace>& programs);

}  // namespace samcl::ctl
