// Profiles for people and for tools.
#pragma once

#include <string>

#include "tools/sam-profile/profile.h"

namespace samcl::profile {

// Modes, stages (us), sentences and warnings. `task`: what make_task() made of the profile.
std::string profile_text(const Profile& profile, const analysis::TaskSetDocument& task, unsigned margin_percent);

// All that was measured, in ns.
std::string profile_json(const Profile& profile, const analysis::TaskSetDocument& task, unsigned margin_percent);

}  // namespace samcl::profile
