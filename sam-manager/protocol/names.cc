#include "sam-manager/protocol/names.h"

#include <algorithm>
#include <cctype>

namespace samcl::protocol {

Result<void> check_instance(const std::string& instance) {
  const bool legal = std::all_of(instance.begin(), instance.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  });
  if (legal && !instance.empty() && instance.size() <= 64) return {};
  return fail("\"" + instance +
              "\" is no instance's name: expected 1 to 64 letters, digits, '.', '_' or '-'");
}

std::string request_queue(const std::string& instance) {
  return "/samcl." + instance + ".requests";
}

std::string reply_queue(const std::string& instance, pid_t pid) {
  return "/samcl." + instance + ".reply." + std::to_string(pid);
}

std::string state_segment(const std::string& instance) {
  return "/samcl." + instance + ".state";
}

std::string lock_segment(const std::string& instance) {
  return "/samcl." + instance + ".lock";
}

}  // namespace samcl::protocol
