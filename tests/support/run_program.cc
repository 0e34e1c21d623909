#include "tests/support/run_program.h"

#include <sstream>

#include "tools/process/child.h"

namespace samcl::testing {

Outcome run_program(const std::vector<std::string>& argv, const std::map<std::string, std::string>& changes,
                    int limit_s) {
  const auto ending = process::run(argv, changes, limit_s);
  if (!ending) return {-1, "", ending.error().message};
  return {ending->signal ? 128 + ending->signal : ending->exit_code, ending->out, ending->err};
}

std::string line_after(const std::string& text, const std::string& prefix) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(prefix, 0) == 0) found = line.substr(prefix.size());
  return found;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace samcl::testing
