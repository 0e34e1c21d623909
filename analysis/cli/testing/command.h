// sam-analyze as a user runs it, for tests: exit code and output.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace samcl::analysis {

struct Outcome {
  int code;
  std::string output;  // both streams
};

inline Outcome run_shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  for (size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), count);
  return {WEXITSTATUS(pclose(pipe)), output};
}

inline std::string example(const std::string& name) { return std::string(EXAMPLES) + "/" + name + ".json"; }

inline Outcome run(const std::string& arguments) { return run_shell(std::string(SAM_ANALYZE) + " " + arguments); }

}  // namespace samcl::analysis
