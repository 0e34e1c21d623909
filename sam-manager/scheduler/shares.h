// Weighted fair time on one resource for programs without deadlines. Each has a virtual time: how long it had the
// resource, divided by its weight. Who has the least comes next, and an owner's turn is over when it is ahead of who
// waits by a turn's length. So in the long run all have their weight's part, whatever the length of their sections, and nobody
// waits for longer than the others' turns. Pure logic.
//
// (Start-time fair queueing, Goyal, Vin & Cheng 1996, with times that are measured, not known beforehand.)
#pragma once

#include <cstdint>
#include <map>

#include "sam-manager/protocol/limits.h"

namespace samcl::scheduler {

using ClientId = uint32_t;  // never 0

class Shares {
 public:
  // How long the heaviest of two may be ahead of the other, so that the device does not change hands all the time.
  static constexpr uint64_t kTurnNs = 2'000'000;

  // It asks for the resource. Who was away begins anew where the least of the others is, and is served before them for
  // two turns at most; one that comes for the first time where they are.
  void join(ClientId client, uint32_t weight);

  // It had the resource for so long.
  void charge(ClientId client, uint32_t weight, uint64_t ns);

  // The least virtual time of those who compete.
  void rise(uint64_t least) { floor_ = least > floor_ ? least : floor_; }

  void forget(ClientId client) { used_.erase(client); }

  // Virtual time: ns for a weight of kUnit.
  uint64_t used(ClientId client) const {
    const auto known = used_.find(client);
    return known == used_.end() ? floor_ : known->second;
  }

  // How long the owner may still have it while the other waits; 0: its turn is over.
  uint64_t left_ns(ClientId owner, uint32_t owners_weight, ClientId waiter, uint32_t waiters_weight) const;

 private:
  static constexpr uint64_t kUnit = 64;
  static uint64_t virtual_ns(uint64_t ns, uint32_t weight) { return ns * kUnit / weight; }

  uint64_t floor_ = 0;
  std::map<ClientId, uint64_t> used_;
};

}  // namespace samcl::scheduler
