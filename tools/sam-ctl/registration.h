// What `sam-ctl register` asks for, as messages.
#pragma once

#include <string>
#include <vector>

#include "sam-manager/protocol/messages.h"

namespace samcl::ctl {

// As the user wrote it.
struct Registration {
  std::string name;
  int priority = 0;
  std::string period;    // "": the profile's
  std::string deadline;  // likewise
  uint32_t gpus = 0;
  std::string match;
  std::vector<std::string> devices;
  std::string profile;  // the text of the file; "": none
  bool strict = false;
};

// The pieces of the profile, if any, then the request itself. Errors name the option.
Result<std::vector<protocol::Request>> make_requests(const Registration& registration);

}  // namespace samcl::ctl
