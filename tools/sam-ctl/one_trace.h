// The traces of several programs as one, on one time line: each program's own rows, and above them the machine's, one
// for each device and link, with who had it when. Pure.
#pragma once

#include <string>
#include <vector>

namespace samcl::ctl {

struct ProgramTrace {
  std::string name;                  // as it is to be shown on a device: its task, or its process
  std::vector<std::string> devices;  // their names, in the program's order
  std::string text;                  // what it wrote
  std::string task = {};             // "": it is none
};

struct OneTrace {
  std::string text;
  std::vector<std::string> left_out;  // programs whose text is no trace, and why
};

// Times are the machine's, so nothing is shifted.
OneTrace one_trace(const std::vector<ProgramTrace>& programs);

}  // namespace samcl::ctl
