// Who gets which resource next: fixed priorities, first come first served among equals, revocation of less
// urgent owners. Pure logic over the words in memory: no I/O, no clock, no threads of its own. The words are
// changed at the same time by clients (idle to owned, owned to idle while no flag is set), so every change
// here is a compare-and-swap.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sam-manager/protocol/words.h"

namespace samcl::scheduler {

using ClientId = uint32_t;  // never 0
using Resource = uint32_t;

struct Waiter {
  ClientId client;
  uint64_t ticket;  // the client's name for this request
};

class Scheduler {
 public:
  // Told of each grant, after the resource's word names the new owner.
  using OnGrant = std::function<void(Resource, const Waiter&)>;

  // Told, after whatever may have changed it, who makes a more urgent client wait: `claim` is the priority of
  // the most urgent one that waits, none if none of them is more urgent than the owner.
  using OnClaim = std::function<void(Resource, ClientId owner, std::optional<int> claim)>;

  Scheduler(std::span<std::atomic<protocol::Word>> words, OnGrant on_grant, OnClaim on_claim = {});

  void add_client(ClientId client, int priority);
  void set_priority(ClientId client, int priority);  // larger is more urgent

  // The client died or left: it waits for nothing more, and what it owned is granted on.
  void remove_client(ClientId client);

  // Waits for a resource, or gets it at once if it is idle. A client has one request for each resource: a
  // further one takes the place of the first. An owner who asks has given the resource back, and its release
  // was lost. Ignored for a client that is not known.
  void acquire(ClientId client, Resource resource, uint64_t ticket);

  // Ignored unless the client owns the resource.
  void release(ClientId client, Resource resource);

  ClientId owner(Resource resource) const;  // 0: idle
  bool has_waiters(Resource resource) const { return !queues_[resource].empty(); }
  std::vector<Waiter> waiters(Resource resource) const;  // in the order in which they will be served

 private:
  // Makes a word say what is true: grants it if it is free (or `freed` by its owner) and someone waits,
  // else sets its flags. Then tells of the claim on it.
  void settle(Resource resource, bool freed = false);
  void decide(Resource resource, bool freed);
  size_t most_urgent(Resource resource) const;
  protocol::Word flags(Resource resource, ClientId owner, size_t without) const;

  std::span<std::atomic<protocol::Word>> words_;
  OnGrant on_grant_;
  OnClaim on_claim_;
  std::map<ClientId, int> priorities_;
  std::vector<std::vector<Waiter>> queues_;  // per resource, in order of arrival
};

}  // namespace samcl::scheduler
