#include "sam-manager/scheduler/shares.h"

#include <algorithm>

namespace samcl::scheduler {

void Shares::join(ClientId client, uint32_t weight, uint64_t now_ns) {
  const uint64_t credit = 2 * virtual_ns(kTurnNs, weight);
  Account& account = accounts_.try_emplace(client, Account{floor_}).first->second;
  account.used = std::max(account.used, floor_ - std::min(floor_, credit));
  if (account.left_ns > 0) account.gap_ns = now_ns - account.left_ns;
}

void Shares::leave(ClientId client, uint64_t held_ns, uint64_t now_ns) {
  Account& account = accounts_.try_emplace(client, Account{floor_}).first->second;
  account.left_ns = now_ns;
  account.held_ns = held_ns;
}

uint64_t Shares::kept_ns(ClientId client, ClientId waiter) const {
  const auto known = accounts_.find(client);
  if (known == accounts_.end() || known->second.used >= used(waiter)) return 0;
  const Account& account = known->second;
  if (account.gap_ns > kLongestGapNs || account.gap_ns > account.held_ns / 4) return 0;
  return std::clamp(2 * account.gap_ns, kLongestGapNs / 4, kLongestGapNs);
}

void Shares::stay_away(ClientId client) {
  if (const auto known = accounts_.find(client); known != accounts_.end()) known->second.gap_ns = UINT64_MAX;
}

void Shares::charge(ClientId client, uint32_t weight, uint64_t ns) {
  accounts_.try_emplace(client, Account{floor_}).first->second.used += virtual_ns(ns, weight);
}

uint64_t Shares::left_ns(ClientId owner, uint32_t owners_weight, ClientId waiter, uint32_t waiters_weight) const {
  const uint64_t end = used(waiter) + virtual_ns(kTurnNs, std::max(owners_weight, waiters_weight));
  const uint64_t now = used(owner);
  return now >= end ? 0 : ((end - now) * owners_weight + kUnit - 1) / kUnit;
}

}  // namespace samcl::scheduler
