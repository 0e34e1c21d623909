#include "sam-manager/scheduler/cpu_budgets.h"

#include <algorithm>
#include <utility>

namespace samcl::scheduler {

void CpuBudgets::set(ClientId client, const CpuBudget& budget, uint64_t now_ns) {
  const auto [found, is_new] = servers_.try_emplace(client);
  Server& server = found->second;
  if (!is_new && server.budget == budget) return;
  if (!is_new) {
    const auto sooner = [&](uint64_t before, uint64_t now) {
      if (now < before) server.next_begin_ns -= std::min(server.next_begin_ns, before - now);
    };
    sooner(server.budget.period_ns, budget.period_ns);
    sooner(server.budget.early_ns, budget.early_ns);
  }
  server.budget = budget;
  server.each_ns = std::max(server.each_ns, budget.each_ns);
  if (is_new) {
    begin(client, server, now_ns);
    server.next_begin_ns = now_ns + budget.period_ns;
    server.is_unclaimed = true;
  }
  server.look_ns = now_ns;
  find_next();
}

void CpuBudgets::remove(ClientId client) {
  if (servers_.erase(client) > 0) find_next();
}

void CpuBudgets::begin(ClientId client, Server& server, uint64_t now_ns) {
  if (const auto use = read_(client)) server.begin_use_ns = use->ns;
  server.used_ns = 0;
  server.each_ns = server.budget.each_ns;
  server.is_exhausted = false;
  server.look_ns = now_ns;
}

void CpuBudgets::release_job(ClientId client, uint64_t released_ns, uint64_t now_ns) {
  const auto found = servers_.find(client);
  if (found == servers_.end()) return;
  Server& server = found->second;
  if (released_ns > now_ns) {
    server.next_begin_ns = std::min(server.next_begin_ns, released_ns);
    server.look_ns = std::min(server.look_ns, server.next_begin_ns);
  } else if (server.is_unclaimed || released_ns + server.budget.early_ns >= server.next_begin_ns) {
    const bool is_new = !std::exchange(server.is_unclaimed, false) || released_ns >= server.next_begin_ns;
    if (is_new) begin(client, server, now_ns);
    // One that is early does not take the next ones with it.
    server.next_begin_ns =
        (is_new ? std::max(released_ns, server.next_begin_ns) : released_ns) + server.budget.period_ns;
  }
  find_next();
}

std::vector<CpuBudgets::Change> CpuBudgets::look(uint64_t now_ns) {
  std::vector<Change> changes;
  for (auto& [client, server] : servers_) {
    if (server.look_ns > now_ns) continue;
    if (server.next_begin_ns <= now_ns) {
      if (server.is_exhausted) changes.push_back({client, false});
      begin(client, server, now_ns);
      server.next_begin_ns = now_ns + server.budget.period_ns;
      server.is_unclaimed = true;
    }
    const auto use = read_(client);
    if (use) server.used_ns = use->ns - std::min(use->ns, server.begin_use_ns);
    if (server.used_ns > server.each_ns && !std::exchange(server.is_exhausted, true)) changes.push_back({client, true});
    const uint64_t left = server.each_ns - std::min(server.each_ns, server.used_ns);
    const uint64_t soonest = now_ns + std::max(watch_ns_, left / std::max(use ? use->threads : 1u, 1u));
    server.look_ns = server.is_exhausted ? server.next_begin_ns : std::min(server.next_begin_ns, soonest);
  }
  find_next();
  return changes;
}

void CpuBudgets::find_next() {
  next_ns_ = UINT64_MAX;
  for (const auto& [client, server] : servers_) next_ns_ = std::min(next_ns_, server.look_ns);
}

bool CpuBudgets::is_exhausted(ClientId client) const {
  const auto server = servers_.find(client);
  return server != servers_.end() && server->second.is_exhausted;
}

std::optional<uint64_t> CpuBudgets::used_ns(ClientId client) const {
  const auto server = servers_.find(client);
  return server == servers_.end() ? std::nullopt : std::optional(server->second.used_ns);
}

}  // namespace samcl::scheduler
