#include "tools/sam-profile/busy_links.h"

#include <sstream>

#include "tools/process/child.h"

namespace samcl::profile {

Result<DeviceShares> share_devices(const std::string& selection, unsigned count, unsigned gpus) {
  std::vector<std::string> names;
  std::istringstream all(selection);
  for (std::string name; std::getline(all, name, ',');) names.push_back(name);
  if (selection.empty())
    for (unsigned device = 0; device < count; ++device) names.push_back(std::to_string(device));
  if (names.size() != count)
    return fail("--busy-links: \"" + selection + "\" stands for " + std::to_string(count) +
                " devices: expected each to be named by its own in --devices");
  DeviceShares shares;
  for (unsigned device = 0; device < count; ++device) {
    if (device < gpus)
      shares.used += (device > 0 ? "," : "") + names[device];
    else
      shares.left.push_back(names[device]);
  }
  return shares;
}

BusyLinks::BusyLinks(const std::vector<std::vector<std::string>>& commands, double limit_s) {
  for (const auto& command : commands)
    threads_.emplace_back([this, command, limit_s] {
      while (!ends_) {
        const auto ending = process::run(command, {}, limit_s);
        if (ending && ending->exit_code == 0) continue;
        const std::lock_guard lock(mutex_);
        failure_ = ending ? "ended with exit code " + std::to_string(ending->exit_code) + "\n" + ending->err
                          : ending.error().message;
        return;
      }
    });
}

std::string BusyLinks::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

BusyLinks::~BusyLinks() {
  ends_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace samcl::profile
