#include "libsamcl/device/broadcast_tree.h"

#include <algorithm>
#include <bit>

namespace samcl {
namespace {

// Each of them gets the bytes from the one whose place among them lacks its highest bit.
void connect(std::span<const unsigned> devices, std::vector<unsigned>& parents) {
  for (size_t i = 1; i < devices.size(); ++i) parents[devices[i]] = devices[i - std::bit_floor(i)];
}

}  // namespace

BroadcastTree::BroadcastTree(std::span<const std::string> machines)
    : parents_(machines.size()), machines_(machines.size()) {
  std::vector<unsigned> firsts;
  for (unsigned first = 0; first < machines.size(); ++first) {
    if (std::ranges::find(machines, machines[first]) != machines.begin() + first) continue;
    std::vector<unsigned> own;
    Places places = 0;
    for (unsigned device = first; device < machines.size(); ++device) {
      if (machines[device] != machines[first]) continue;
      own.push_back(device);
      places |= only(device);
    }
    for (const unsigned device : own) machines_[device] = places;
    connect(own, parents_);
    firsts.push_back(first);
  }
  connect(firsts, parents_);
}

}  // namespace samcl
