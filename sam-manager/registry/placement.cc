#include "sam-manager/registry/placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace samcl::registry {
namespace {

struct Load {
  unsigned delaying = 0;  // of programs at least as urgent
  unsigned all = 0;
};

std::map<uint8_t, Load> loads_for(int priority, const std::vector<Tenant>& tenants) {
  std::map<uint8_t, Load> loads;
  for (const Tenant& tenant : tenants) {
    for (uint8_t device : tenant.devices) {
      const unsigned load = device == tenant.devices.front() ? 2 : 1;
      loads[device].all += load;
      if (tenant.priority >= priority) loads[device].delaying += load;
    }
  }
  return loads;
}

}  // namespace

std::vector<uint8_t> order_by_load(const std::vector<uint8_t>& devices, int priority,
                                   const std::vector<Tenant>& tenants) {
  auto loads = loads_for(priority, tenants);
  std::vector<uint8_t> order(devices.size());
  std::iota(order.begin(), order.end(), uint8_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) {
    const Load& left = loads[devices[a]];
    const Load& right = loads[devices[b]];
    return std::pair(left.delaying, left.all) < std::pair(right.delaying, right.all);
  });
  return order;
}

std::vector<uint8_t> affine_positions(const std::vector<std::string>& affinity,
                                      const std::vector<std::string>& announced) {
  std::vector<uint8_t> named;
  for (size_t position = 0; position < announced.size(); ++position) {
    const bool is_named = std::any_of(affinity.begin(), affinity.end(), [&](const std::string& device) {
      return device == announced[position] || device == std::to_string(position);
    });
    if (is_named) named.push_back(static_cast<uint8_t>(position));
  }
  if (!named.empty()) return named;
  named.resize(announced.size());
  std::iota(named.begin(), named.end(), uint8_t{0});
  return named;
}

uint32_t fewer_gpus(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace samcl::registry
