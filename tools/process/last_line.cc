#include "tools/process/last_line.h"

#include <sstream>

#include "base/json_text.h"

namespace samcl::process {

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last;
}

nlohmann::json last_json_line(const std::string& text) {
  nlohmann::json result = try_read_json(last_line(text));
  return result.is_object() ? result : nlohmann::json(nlohmann::json::value_t::discarded);
}

}  // namespace samcl::process
