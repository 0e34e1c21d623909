// What a program said last, in a text that it printed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace samcl::process {

// The last line that is not blank; "" if there is none.
std::string last_line(const std::string& text);

// That line if it is a JSON object; else discarded.
nlohmann::json last_json_line(const std::string& text);

}  // namespace samcl::process
