// What `sam-ctl register` and `sam-ctl set` ask for: from options to a task. Pure logic.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sam-manager/registry/registry.h"

namespace samcl::ctl {

// As the user wrote it.
struct Registration {
  std::string name;
  std::optional<int> priority;
  std::optional<uint32_t> weight;  // instead of priority, period, deadline and profile
  std::string period;              // "": the profile's
  std::string deadline;            // likewise
  uint32_t gpus = 0;
  std::string match;
  std::vector<std::string> devices;
  std::string memory;   // "": none is reserved
  std::string hold;     // "": as configured
  std::string profile;  // the text of the file; "": none
};

// Errors name the option.
Result<registry::Task> make_task(const Registration& registration);

// What is to change in a task that is registered; what is not given stays.
struct Changes {
  std::optional<int> priority;
  std::optional<std::string> period, deadline, match, memory, hold;
  std::optional<uint32_t> gpus, weight;
  std::optional<std::vector<std::string>> devices;
};

// As the manager wants it. Errors name the option; nothing to change is one.
Result<nlohmann::json> make_changes(const Changes& changes);

// What the administrator probably did not mean, as far as this machine's files tell; "": nothing.
std::string doubt_of_match(const std::string& match);

}  // namespace samcl::ctl
