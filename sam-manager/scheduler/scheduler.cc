#include "sam-manager/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace samcl::scheduler {

using protocol::Word;

namespace {
constexpr size_t kNone = SIZE_MAX;
}

Scheduler::Scheduler(std::span<std::atomic<Word>> words, OnGrant on_grant, OnInversion on_inversion,
                     std::function<void(Access)> before_access)
    : words_(words),
      on_grant_(std::move(on_grant)),
      on_inversion_(std::move(on_inversion)),
      before_access_(std::move(before_access)),
      queues_(words.size()),
      shares_(words.size()),
      tenures_(words.size()) {}

void Scheduler::set_policy(const Policy& policy) {
  if (policy == policy_) return;
  policy_ = policy;
  for (ResourceId resource = 0; resource < words_.size(); ++resource) {
    for (Waiter& waiter : queues_[resource]) waiter.place = 0;
    dispatch(resource);
  }
}

void Scheduler::add_client(ClientId client, const Standing& standing) { standings_[client] = standing; }

void Scheduler::set_standing(ClientId client, const Standing& standing) {
  const auto known = standings_.find(client);
  if (known == standings_.end()) return;
  Standing next = standing;
  next.deadline_ns = known->second.deadline_ns;
  if (next == known->second) return;
  known->second = next;
  for (ResourceId resource = 0; resource < words_.size(); ++resource) dispatch(resource);
}

void Scheduler::set_deadline(ClientId client, uint64_t deadline_ns) {
  const auto known = standings_.find(client);
  if (known == standings_.end() || known->second.deadline_ns == deadline_ns) return;
  known->second.deadline_ns = deadline_ns;
  if (policy_.urgency != Policy::Urgency::deadline) return;
  for (ResourceId resource = 0; resource < words_.size(); ++resource)
    if (has_waiters(resource)) dispatch(resource);
}

void Scheduler::remove_client(ClientId client) {
  if (standings_.erase(client) == 0) return;
  for (ResourceId resource = 0; resource < words_.size(); ++resource) {
    std::erase_if(queues_[resource], [client](const Waiter& waiter) { return waiter.client == client; });
    dispatch(resource);
    shares_[resource].forget(client);
  }
}

void Scheduler::acquire(ClientId client, ResourceId resource, uint64_t ticket) {
  if (!standings_.contains(client) || resource >= words_.size()) return;
  handed(resource);
  std::vector<Waiter>& queue = queues_[resource];
  const auto known =
      std::find_if(queue.begin(), queue.end(), [client](const Waiter& waiter) { return waiter.client == client; });
  // For whom it is kept gets it if it is the next one; a task gets it at once.
  const bool is_kept = tenures_[resource].kept_until_ns > 0 && standings_[client].level > Level::shares;
  const ClientId held_by = owner(resource);
  if (known != queue.end()) {
    known->ticket = ticket;
  } else {
    raise_floor(resource);
    if (shares(client)) shares_[resource].join(client, standings_[client].weight, now_ns_);
    queue.push_back({client, ticket});
  }
  dispatch(resource, held_by == client || is_kept ? held_by : kNobody);
}

void Scheduler::handed(ResourceId resource) {
  const auto is_owner = [owner = owner(resource)](const Waiter& waiter) { return waiter.client == owner; };
  if (std::ranges::any_of(queues_[resource], is_owner)) dispatch(resource);
}

void Scheduler::release(ClientId client, ResourceId resource) {
  if (resource >= words_.size()) return;
  handed(resource);
  const Word now = load(resource);
  if (protocol::owner_of(now) != client || (now & protocol::kGivenBack) == 0) return;
  if (keep(resource))
    dispatch(resource);
  else
    dispatch(resource, client);
}

void Scheduler::reclaim(ClientId client, ResourceId resource) {
  if (resource >= words_.size()) return;
  handed(resource);
  if (owner(resource) == client) dispatch(resource, client);
}

bool Scheduler::keep(ResourceId resource) {
  Tenure& tenure = tenures_[resource];
  if (!shares(tenure.owner) || owner(resource) != tenure.owner || tenure.kept_until_ns > 0) return false;
  charge(resource);
  shares_[resource].leave(tenure.owner, now_ns_ - tenure.begin_ns, now_ns_);
  if (queues_[resource].empty()) return false;
  const Waiter& next = queues_[resource][first(resource)];
  if (!shares(next.client)) return false;
  const uint64_t kept = shares_[resource].kept_ns(tenure.owner, next.client);
  tenure.kept_until_ns = kept > 0 ? now_ns_ + kept : 0;
  return kept > 0;
}

ClientId Scheduler::owner(ResourceId resource) const { return protocol::owner_of(load(resource, Access::owner)); }

// 0: nobody has it, or one without a share.
ClientId Scheduler::sharing_owner(ResourceId resource) const {
  const ClientId owner = protocol::owner_of(load(resource, Access::sharing_owner));
  return shares(owner) ? owner : 0;
}

Word Scheduler::load(ResourceId resource, Access access) const {
  if (before_access_) before_access_(access);
  return words_[resource].load();
}

// If it still is what was seen; else that becomes what it is.
bool Scheduler::replace(ResourceId resource, Word& seen, Word next) {
  if (before_access_) before_access_(Access::word);
  return words_[resource].compare_exchange_strong(seen, next);
}

std::vector<Waiter> Scheduler::waiters(ResourceId resource) const {
  std::vector<Waiter> ordered = queues_[resource];
  std::stable_sort(ordered.begin(), ordered.end(),
                   [this, resource](const Waiter& one, const Waiter& other) { return precedes(resource, one, other); });
  return ordered;
}

std::set<ClientId> Scheduler::users() const {
  std::set<ClientId> users;
  for (ResourceId resource = 0; resource < words_.size(); ++resource) {
    if (const ClientId owns = owner(resource); owns != kNobody) users.insert(owns);
    for (const Waiter& waiter : queues_[resource]) users.insert(waiter.client);
  }
  return users;
}

uint64_t Scheduler::next_tick_ns() const {
  uint64_t next = UINT64_MAX;
  for (ResourceId resource = 0; resource < words_.size(); ++resource) {
    const Tenure& tenure = tenures_[resource];
    if (tenure.kept_until_ns > 0) next = std::min(next, tenure.kept_until_ns);
    if (!tenure.was_wanted || !shares(tenure.owner)) continue;
    const uint32_t weight = standings_.at(tenure.owner).weight;
    for (const Waiter& waiter : queues_[resource]) {
      if (!shares(waiter.client)) continue;
      const uint64_t left =
          shares_[resource].left_ns(tenure.owner, weight, waiter.client, standings_.at(waiter.client).weight);
      if (left > 0) next = std::min(next, tenure.since_ns + left);
    }
  }
  return next;
}

void Scheduler::tick() {
  for (ResourceId resource = 0; resource < words_.size(); ++resource) {
    const Tenure& tenure = tenures_[resource];
    const bool came_not = tenure.kept_until_ns > 0 && tenure.kept_until_ns <= now_ns_;
    if (came_not) shares_[resource].stay_away(tenure.owner);
    if (came_not || tenure.was_wanted) dispatch(resource, came_not ? owner(resource) : kNobody);
  }
}

void Scheduler::dispatch(ResourceId resource, ClientId gone) {
  charge(resource);
  const ClientId holder = owner(resource);
  const bool freed = gone != kNobody && holder == gone;
  std::vector<Waiter> handed;
  if (!freed) note_handed(resource, holder, handed);
  raise_floor(resource);
  give_places(resource, freed);
  const std::optional<Waiter> granted = update_word(resource, gone, handed);
  // Told after the word was written: who knows that he has it may have given it back, and ask again, before that.
  for (const Waiter& waiter : handed) on_grant_(resource, waiter);
  if (granted) on_grant_(resource, *granted);
  begin_tenure(resource, freed || !handed.empty());
  report_inversion(resource);
}

// An owner that still waits, as far as we know, has it from the one before: who has it and asks for it is served at
// once.
void Scheduler::note_handed(ResourceId resource, ClientId owner, std::vector<Waiter>& handed) {
  std::vector<Waiter>& queue = queues_[resource];
  const auto found = std::ranges::find(queue, owner, &Waiter::client);
  if (found == queue.end()) return;
  handed.push_back(*found);
  queue.erase(found);
  const Tenure& tenure = tenures_[resource];
  if (shares(tenure.owner)) shares_[resource].leave(tenure.owner, now_ns_ - tenure.begin_ns, now_ns_);
}

// While nobody waits, an owner may give the resource back and take it again unseen: then a turn counts at
// most.
void Scheduler::charge(ResourceId resource) {
  Tenure& tenure = tenures_[resource];
  if (!shares(tenure.owner)) return;
  uint64_t held = now_ns_ - tenure.since_ns;
  if (!tenure.was_wanted) held = std::min(held, Shares::kTurnNs);
  shares_[resource].charge(tenure.owner, standings_[tenure.owner].weight, held);
  tenure.since_ns = now_ns_;
}

void Scheduler::raise_floor(ResourceId resource) {
  uint64_t least = UINT64_MAX;
  for (const Waiter& waiter : queues_[resource])
    if (shares(waiter.client)) least = std::min(least, shares_[resource].used(waiter.client));
  if (const ClientId owner = sharing_owner(resource); owner != 0)
    least = std::min(least, shares_[resource].used(owner));
  if (least != UINT64_MAX) shares_[resource].rise(least);
}

void Scheduler::give_places(ResourceId resource, bool freed) {
  if (policy_.places == 0) return;
  std::vector<Waiter>& queue = queues_[resource];
  const auto wants_place = [this](const Waiter& waiter) { return waiter.place == 0 && !shares(waiter.client); };
  const ClientId owner = freed ? 0 : this->owner(resource);
  auto taken = static_cast<size_t>(
      std::count_if(queue.begin(), queue.end(), [](const Waiter& waiter) { return waiter.place > 0; }));
  if (standing(owner) && !shares(owner)) ++taken;
  for (; taken < policy_.places; ++taken) {
    Waiter* next = nullptr;
    for (Waiter& waiter : queue)
      if (wants_place(waiter) && (!next || is_more_urgent(standings_.at(waiter.client), standings_.at(next->client))))
        next = &waiter;
    if (!next) return;
    next->place = ++places_given_;
  }
}

// Owners hand it over meanwhile: who has it by then waits no more, and is never the next one himself.
std::optional<Waiter> Scheduler::update_word(ResourceId resource, ClientId gone, std::vector<Waiter>& handed) {
  std::vector<Waiter>& queue = queues_[resource];
  Word seen = load(resource);
  while (true) {
    const ClientId owner = protocol::owner_of(seen);
    const bool freed = gone != kNobody && owner == gone;
    if (!freed) note_handed(resource, owner, handed);
    // An owner nobody knows is a client that died before this.
    const bool free = freed || owner == 0 || !standings_.contains(owner);
    if (!free || queue.empty()) {
      const Word next = free ? 0 : owner | flags(resource, owner, kNone) | (seen & protocol::kGivenBack);
      if (seen == next || replace(resource, seen, next)) return std::nullopt;
      continue;
    }
    const size_t first = this->first(resource);
    const Waiter chosen = queue[first];
    if (!replace(resource, seen, chosen.client | flags(resource, chosen.client, first))) continue;
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(first));
    return chosen;
  }
}

void Scheduler::begin_tenure(ResourceId resource, bool freed) {
  Tenure& tenure = tenures_[resource];
  const ClientId owner = sharing_owner(resource);
  const bool is_wanted = has_waiters(resource);
  // Who took it by itself, and is not waited for, gives it back unseen.
  const bool is_known = freed || tenure.owner == owner || is_wanted;
  if (tenure.owner != owner || freed) {
    tenure.since_ns = tenure.begin_ns = now_ns_;
    tenure.kept_until_ns = 0;
  }
  tenure.owner = is_known ? owner : 0;
  tenure.was_wanted = is_wanted;
}

bool Scheduler::keeps_tasks_waiting(ResourceId resource) const {
  return std::ranges::any_of(queues_[resource], [this](const Waiter& waiter) {
    return standings_.at(waiter.client).level == Level::real_time;
  });
}

void Scheduler::report_inversion(ResourceId resource) const {
  if (!on_inversion_) return;
  const ClientId owner = this->owner(resource);
  const Standing* own = standing(owner);
  std::optional<int> inherited;
  if (own)
    for (const Waiter& waiter : queues_[resource])
      if (const int priority = standings_.at(waiter.client).priority;
          priority > std::max(own->priority, inherited.value_or(own->priority)))
        inherited = priority;
  on_inversion_(resource, owner, inherited);
}

bool Scheduler::is_more_urgent(const Standing& one, const Standing& other) const {
  if (one.level != other.level) return one.level > other.level;
  return policy_.urgency == Policy::Urgency::deadline ? one.deadline_ns < other.deadline_ns
                                                      : one.priority > other.priority;
}

bool Scheduler::precedes(ResourceId resource, const Waiter& one, const Waiter& other) const {
  const Standing& a = standings_.at(one.client);
  const Standing& b = standings_.at(other.client);
  if (a.level != b.level) return a.level > b.level;
  if (a.level == Level::shares) return shares_[resource].used(one.client) < shares_[resource].used(other.client);
  if (one.place > 0 || other.place > 0) return one.place > 0 && (other.place == 0 || one.place < other.place);
  return is_more_urgent(a, b);
}

bool Scheduler::revokes(ResourceId resource, const Waiter& waiter, ClientId owner) const {
  const Standing& a = standings_.at(waiter.client);
  const Standing& b = standings_.at(owner);
  if (a.level != b.level) return a.level > b.level;
  if (a.level == Level::shares) return shares_[resource].left_ns(owner, b.weight, waiter.client, a.weight) == 0;
  return policy_.revokes && is_more_urgent(a, b);
}

// Of those who wait, but the one at index `without`; kNone: nobody else does.
size_t Scheduler::first(ResourceId resource, size_t without) const {
  const std::vector<Waiter>& queue = queues_[resource];
  size_t first = kNone;
  for (size_t i = 0; i < queue.size(); ++i)
    if (i != without && (first == kNone || precedes(resource, queue[i], queue[first]))) first = i;
  return first;
}

// To whom the owner may hand it over by itself: who would be granted it whenever that is. 0: for an owner that is
// behind who waits it may be kept.
ClientId Scheduler::next(ResourceId resource, ClientId owner, size_t without) const {
  const size_t first = this->first(resource, without);
  if (first == kNone) return 0;
  const ClientId next = queues_[resource][first].client;
  const bool may_be_kept =
      shares(owner) && shares(next) && shares_[resource].used(owner) < shares_[resource].used(next);
  return may_be_kept ? 0 : next;
}

// The flags of a word owned by `owner`, with the waiter at index `without` left out.
Word Scheduler::flags(ResourceId resource, ClientId owner, size_t without) const {
  Word result = 0;
  for (size_t i = 0; i < queues_[resource].size(); ++i) {
    if (i == without) continue;
    result |= protocol::kWaiters;
    if (shares(owner)) result |= protocol::kTurn;
    if (revokes(resource, queues_[resource][i], owner)) result |= protocol::kRevoke;
  }
  if (result != 0) result |= protocol::with_next(next(resource, owner, without));
  return result;
}

const Standing* Scheduler::standing(ClientId client) const {
  const auto known = standings_.find(client);
  return known == standings_.end() ? nullptr : &known->second;
}

bool Scheduler::shares(ClientId client) const {
  const Standing* known = standing(client);
  return known && known->level == Level::shares;
}

}  // namespace samcl::scheduler
