// What an instance of the manager is called, and the kernel objects that belong to it.
#pragma once

#include <sys/types.h>

#include <string>

#include "libsamcl/result.h"

namespace samcl::protocol {

// An instance's name becomes part of file names: 1 to 64 letters, digits, '.', '_' or '-'.
Result<void> check_instance(const std::string& instance);

std::string request_queue(const std::string& instance);           // /samcl.<instance>.requests
std::string reply_queue(const std::string& instance, pid_t pid);  // /samcl.<instance>.reply.<pid>
std::string state_segment(const std::string& instance);           // /samcl.<instance>.state
std::string lock_segment(const std::string& instance);  // /samcl.<instance>.lock: held by the daemon

}  // namespace samcl::protocol
