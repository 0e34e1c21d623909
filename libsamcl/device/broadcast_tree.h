// Whom each of several devices gets bytes from that all of them need, and that the first one has: within a machine from
// one of its devices, so that they go to each machine once. Those of one machine form a binomial tree, and so do the
// machines' first devices: each round doubles the number of those that have the bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/places.h"

namespace samcl {

class BroadcastTree {
 public:
  // machines: of each device, by any name.
  explicit BroadcastTree(std::span<const std::string> machines);

  // A device before it; of the first one itself.
  unsigned parent(unsigned device) const { return parents_[device]; }
  // The devices of that one's machine.
  Places machine(unsigned device) const { return machines_[device]; }

 private:
  std::vector<unsigned> parents_;
  std::vector<Places> machines_;
};

}  // namespace samcl
