// Running a program from a test: its arguments and environment, and what it printed.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace samcl::testing {

struct Outcome {
  int exit_code = -1;  // 128 + N: killed by signal N; 137 also after the time limit
  std::string out;     // what it wrote to stdout
  std::string err;     // and to stderr
};

// Runs argv[0] (found in PATH) in this process's environment with `changes` applied; an empty value removes
// a variable. Killed after `limit_s` seconds.
Outcome run_program(const std::vector<std::string>& argv, const std::map<std::string, std::string>& changes = {},
                    int limit_s = 60);

// The last line of `text` that begins with `prefix`, without it; "" if there is none.
std::string line_after(const std::string& text, const std::string& prefix);

// How often `part` occurs in `text`.
size_t occurrences(const std::string& text, const std::string& part);

}  // namespace samcl::testing
