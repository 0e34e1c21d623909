// What a profile is worth, and what it says about splitting, in sentences. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/sam-profile/profile.h"

namespace samcl::profile {

// Fewer are no sample of a worst case.
inline constexpr size_t kFewJobs = 30;

// Reasons not to trust the numbers, the gravest first; the last one always holds: measured maxima prove
// nothing.
std::vector<std::string> warnings(const Profile& profile, unsigned margin_percent);

// One sentence per mode: how long a job takes and on what, and above one GPU whether splitting pays and what
// limits it.
std::string verdict(const ModeProfile& mode, const ModeProfile& one_gpu);

}  // namespace samcl::profile
