#include "sam-manager/daemon/rights.h"

#include <algorithm>

namespace samcl::daemon {

bool Users::include(uid_t user, const std::vector<gid_t>& groups_of_user) const {
  return users.contains(user) || std::any_of(groups_of_user.begin(), groups_of_user.end(),
                                             [this](gid_t group) { return groups.contains(group); });
}

Rights rights_of(uid_t user, const std::vector<gid_t>& groups, uid_t daemons_user, const AccessRules& access) {
  Rights rights;
  if (user == 0 || user == daemons_user) {
    rights.may_use = rights.may_administrate = true;
    rights.programs = UINT_MAX;
    return rights;
  }
  rights.may_administrate = access.administrators.include(user, groups);
  rights.programs = access.programs_per_user;
  bool all_devices = false;
  for (const Allowance& allowance : access.allow) {
    if (!allowance.who.include(user, groups)) continue;
    rights.highest_priority =
        rights.may_use ? std::max(rights.highest_priority, allowance.highest_priority) : allowance.highest_priority;
    rights.may_use = true;
    all_devices |= allowance.devices.empty();
    rights.devices.insert(rights.devices.end(), allowance.devices.begin(), allowance.devices.end());
  }
  if (all_devices) rights.devices.clear();
  return rights;
}

bool may_use_device(const std::vector<std::string>& devices, const std::string& device) {
  return devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end();
}

}  // namespace samcl::daemon
