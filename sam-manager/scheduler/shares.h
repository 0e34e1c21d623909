// Weighted fair time on one resource for programs without deadlines. Each has a virtual time: how long it had
// the resource, divided by its weight. Who has the least comes next, and an owner's turn is over when it is
// ahead of who waits by a turn's length. So in the long run all have their weight's part, whatever the length
// of their sections, and nobody waits for longer than the others' turns. Pure logic.
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
  // How long the heaviest of two may be ahead of the other, so that the device does not change hands all the
  // time.
  static constexpr uint64_t kTurnNs = 2'000'000;

  // No place is kept for longer.
  static constexpr uint64_t kLongestGapNs = 200'000;

  // It asks for the resource. Who was away begins anew where the least of the others is, and is served before
  // them for two turns at most; one that comes for the first time where they are.
  void join(ClientId client, uint32_t weight, uint64_t now_ns);

  // It gave the resource back, having had it for so long.
  void leave(ClientId client, uint64_t held_ns, uint64_t now_ns);

  // For how long the resource is kept for one that gave it back, though another one waits, since it is behind
  // that one and comes again at once, as programs do that wait for each of their kernels: without it two such
  // would alternate, whatever their weights. 0: it is not behind, or took longer the last time, or its pauses
  // are no small part of its time.
  uint64_t kept_ns(ClientId client, ClientId waiter) const;
  // It did not come.
  void stay_away(ClientId client);

  // It had the resource for so long.
  void charge(ClientId client, uint32_t weight, uint64_t ns);

  // The least virtual time of those who compete.
  void rise(uint64_t least) { floor_ = least > floor_ ? least : floor_; }

  void forget(ClientId client) { accounts_.erase(client); }

  // Virtual time: ns for a weight of kUnit.
  uint64_t used(ClientId client) const {
    const auto known = accounts_.find(client);
    return known == accounts_.end() ? floor_ : known->second.used;
  }

  // How long the owner may still have it while the other waits; 0: its turn is over.
  uint64_t left_ns(ClientId owner, uint32_t owners_weight, ClientId waiter, uint32_t waiters_weight) const;

 private:
  struct Account {
    uint64_t used = 0;
    uint64_t left_ns = 0, held_ns = 0;  // when it gave the resource back last, and for how long it had had it
    uint64_t gap_ns = UINT64_MAX;       // until it asked again the last time
  };

  static constexpr uint64_t kUnit = 64;
  static uint64_t virtual_ns(uint64_t ns, uint32_t weight) { return ns * kUnit / weight; }

  uint64_t floor_ = 0;
  std::map<ClientId, Account> accounts_;
};

}  // namespace samcl::scheduler
