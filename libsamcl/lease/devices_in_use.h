// Which of a group of alike devices a program uses at present. Pure logic.
#pragma once

#include <cstdint>
#include <vector>

#include "libsamcl/lease/lease.h"

namespace samcl::lease {

// `group`: for each device of the group its index among those announced to the manager, in the order in which
// they are used unless the manager says otherwise. `limit`: the most that the program uses; 0: all. Returns
// positions in `group`: work on one device goes to the first; never empty unless the group is.
std::vector<unsigned> devices_in_use(const Assignment& assignment, const std::vector<uint32_t>& group, uint32_t limit);

}  // namespace samcl::lease
