#include "sam-manager/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace samcl::scheduler {

using protocol::Word;

namespace {
constexpr size_t kNone = SIZE_MAX;
}

Scheduler::Scheduler(std::span<std::atomic<Word>> words, OnGrant on_grant, OnClaim on_claim)
    : words_(words), on_grant_(std::move(on_grant)), on_claim_(std::move(on_claim)), queues_(words.size()) {}

void Scheduler::add_client(ClientId client, int priority) {
  priorities_[client] = priority;
}

void Scheduler::set_priority(ClientId client, int priority) {
  const auto known = priorities_.find(client);
  if (known == priorities_.end() || known->second == priority) return;
  known->second = priority;
  for (Resource resource = 0; resource < words_.size(); ++resource) settle(resource);
}

void Scheduler::remove_client(ClientId client) {
  if (priorities_.erase(client) == 0) return;
  for (Resource resource = 0; resource < words_.size(); ++resource) {
    std::erase_if(queues_[resource], [client](const Waiter& waiter) { return waiter.client == client; });
    settle(resource);
  }
}

void Scheduler::acquire(ClientId client, Resource resource, uint64_t ticket) {
  if (!priorities_.contains(client) || resource >= words_.size()) return;
  std::vector<Waiter>& queue = queues_[resource];
  const auto known = std::find_if(queue.begin(), queue.end(),
                                  [client](const Waiter& waiter) { return waiter.client == client; });
  if (known != queue.end())
    known->ticket = ticket;
  else
    queue.push_back({client, ticket});
  settle(resource, owner(resource) == client);
}

void Scheduler::release(ClientId client, Resource resource) {
  if (resource < words_.size() && owner(resource) == client) settle(resource, true);
}

ClientId Scheduler::owner(Resource resource) const {
  return protocol::owner_of(words_[resource].load());
}

std::vector<Waiter> Scheduler::waiters(Resource resource) const {
  std::vector<Waiter> ordered = queues_[resource];
  std::stable_sort(ordered.begin(), ordered.end(), [this](const Waiter& a, const Waiter& b) {
    return priorities_.at(a.client) > priorities_.at(b.client);
  });
  return ordered;
}

void Scheduler::settle(Resource resource, bool freed) {
  decide(resource, freed);
  if (!on_claim_) return;
  const ClientId owner = this->owner(resource);
  const auto priority = priorities_.find(owner);
  std::optional<int> claim;
  if (priority != priorities_.end() && !queues_[resource].empty())
    claim = priorities_.at(queues_[resource][most_urgent(resource)].client);
  if (claim && *claim <= priority->second) claim.reset();
  on_claim_(resource, owner, claim);
}

void Scheduler::decide(Resource resource, bool freed) {
  std::vector<Waiter>& queue = queues_[resource];
  std::atomic<Word>& word = words_[resource];
  Word seen = word.load();
  while (true) {
    const ClientId owner = protocol::owner_of(seen);
    // An owner nobody knows is a client that died before this.
    const bool free = freed || owner == 0 || !priorities_.contains(owner);
    if (!free || queue.empty()) {
      const Word next = free ? 0 : owner | flags(resource, owner, kNone);
      if (seen == next || word.compare_exchange_weak(seen, next)) return;
      continue;
    }
    const size_t first = most_urgent(resource);
    const Waiter chosen = queue[first];
    if (!word.compare_exchange_weak(seen, chosen.client | flags(resource, chosen.client, first))) continue;
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(first));
    on_grant_(resource, chosen);
    return;
  }
}

size_t Scheduler::most_urgent(Resource resource) const {
  const std::vector<Waiter>& queue = queues_[resource];
  const auto first = std::max_element(queue.begin(), queue.end(), [this](const Waiter& a, const Waiter& b) {
    return priorities_.at(a.client) < priorities_.at(b.client);
  });
  return static_cast<size_t>(first - queue.begin());
}

// The flags of a word owned by `owner`, with the waiter at index `without` left out.
Word Scheduler::flags(Resource resource, ClientId owner, size_t without) const {
  Word result = 0;
  for (size_t i = 0; i < queues_[resource].size(); ++i) {
    if (i == without) continue;
    result |= protocol::kWaiters;
    if (priorities_.at(queues_[resource][i].client) > priorities_.at(owner)) result |= protocol::kRevoke;
  }
  return result;
}

}  // namespace samcl::scheduler
