#include "sam-manager/scheduler/shares.h"

#include <algorithm>

namespace samcl::scheduler {

void Shares::join(ClientId client, uint32_t weight) {
  const uint64_t credit = 2 * virtual_ns(kTurnNs, weight);
  const auto [known, is_new] = used_.try_emplace(client, floor_);
  if (!is_new) known->second = std::max(known->second, floor_ - std::min(floor_, credit));
}

void Shares::charge(ClientId client, uint32_t weight, uint64_t ns) {
  used_.try_emplace(client, floor_).first->second += virtual_ns(ns, weight);
}

uint64_t Shares::left_ns(ClientId owner, uint32_t owners_weight, ClientId waiter, uint32_t waiters_weight) const {
  const uint64_t end = used(waiter) + virtual_ns(kTurnNs, std::max(owners_weight, waiters_weight));
  const uint64_t now = used(owner);
  return now >= end ? 0 : ((end - now) * owners_weight + kUnit - 1) / kUnit;
}

}  // namespace samcl::scheduler
