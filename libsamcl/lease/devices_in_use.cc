#include "libsamcl/lease/devices_in_use.h"

#include <algorithm>
#include <numeric>

namespace samcl::lease {

std::vector<unsigned> devices_in_use(const Assignment& assignment, const std::vector<uint32_t>& group, uint32_t limit) {
  std::vector<unsigned> used;
  for (uint32_t chosen : assignment.devices) {
    const auto found = std::find(group.begin(), group.end(), chosen);
    if (found != group.end()) used.push_back(static_cast<unsigned>(found - group.begin()));
  }
  // The manager's choice may be of another group.
  if (used.empty()) {
    used.resize(group.size());
    std::iota(used.begin(), used.end(), 0u);
  }
  for (uint32_t most : {assignment.gpus, limit})
    if (most > 0 && most < used.size()) used.resize(most);
  return used;
}

}  // namespace samcl::lease
