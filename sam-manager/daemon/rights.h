// Who may do what: the [access] part of the configuration, applied to the users that the kernel names. Pure
// logic.
#pragma once

#include <sys/types.h>

#include <climits>
#include <set>
#include <string>
#include <vector>

namespace samcl::daemon {

// A set of users, by themselves or by their groups.
struct Users {
  std::set<uid_t> users;
  std::set<gid_t> groups;

  bool include(uid_t user, const std::vector<gid_t>& groups_of_user) const;
};

struct Allowance {
  Users who;
  std::vector<std::string> devices;  // by name; empty: all
  int highest_priority = INT_MAX;
};

struct AccessRules {
  Users administrators;          // besides root and the daemon's user
  std::vector<Allowance> allow;  // besides those; empty: the members of the group may use everything
  unsigned programs_per_user = 64;
};

struct Rights {
  bool may_use = false;
  bool may_administrate = false;
  std::vector<std::string> devices;  // empty: all
  int highest_priority = INT_MAX;
  unsigned programs = 0;  // at a time
};

// Of a user: root and the daemon's own user have all; others the sum of what includes them.
Rights rights_of(uid_t user, const std::vector<gid_t>& groups, uid_t daemons_user, const AccessRules& access);

// Whether one who may use those devices (empty: all) may use that one.
bool may_use_device(const std::vector<std::string>& devices, const std::string& device);

}  // namespace samcl::daemon
