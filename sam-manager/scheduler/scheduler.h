// Who gets which resource next, and who has to give way. Real-time tasks first, in the order of the policy;
// then programs without deadlines, in the order of their shares. Pure logic over the words in memory: no I/O,
// no clock, no threads of its own. The words are changed at the same time by clients (idle to owned, owned to
// idle while no flag is set, owned to who is next), so every change here is a compare-and-swap.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sam-manager/protocol/words.h"
#include "sam-manager/scheduler/policy.h"
#include "sam-manager/scheduler/shares.h"

namespace samcl::scheduler {

using ResourceId = uint32_t;

struct Waiter {
  ClientId client;
  uint64_t ticket;     // the client's name for this request
  uint64_t place = 0;  // in the order in which places were given (Policy::places); 0: it has none
};

class Scheduler {
 public:
  // Told of each grant, after the resource's word names the new owner; also where its owner before handed it over.
  using OnGrant = std::function<void(ResourceId, const Waiter&)>;

  // Told, after whatever may have changed it, who makes a client of a higher priority wait: `inherited` is the
  // highest priority of those who wait, none if that is not higher than the owner's.
  using OnInversion = std::function<void(ResourceId, ClientId owner, std::optional<int> inherited)>;

  // What of a word an access to it reads: all, or its owner, or that only if he has a share.
  enum class Access : uint8_t { word, owner, sharing_owner };

  // before_access: called before each access to a word, so that a test can do what clients may do at that moment.
  Scheduler(std::span<std::atomic<protocol::Word>> words, OnGrant on_grant, OnInversion on_inversion = {},
            std::function<void(Access)> before_access = {});

  // All that is said from now on happened at this time; time never goes back.
  void advance_time(uint64_t now_ns) { now_ns_ = now_ns > now_ns_ ? now_ns : now_ns_; }

  // From now on, for those who wait, too.
  void set_policy(const Policy& policy);
  const Policy& policy() const { return policy_; }

  void add_client(ClientId client, const Standing& standing);
  void set_standing(ClientId client, const Standing& standing);
  // Of the job that it has begun.
  void set_deadline(ClientId client, uint64_t deadline_ns);

  // The client died or left: it waits for nothing more, and what it owned is granted on.
  void remove_client(ClientId client);

  // Waits for a resource, or gets it at once if it is idle. A client has one request for each resource: a
  // further one takes the place of the first. An owner who asks has given the resource back, and its release
  // was lost. Ignored for a client that is not known.
  void acquire(ClientId client, ResourceId resource, uint64_t ticket);

  // Ignored unless the client owns the resource, and its word says that it gave it back. It is granted on, or kept for
  // one without a deadline that comes again at once (Shares::kept_ns()).
  void release(ClientId client, ResourceId resource);

  // The same, whatever the owner wants: it is granted on.
  void reclaim(ClientId client, ResourceId resource);

  // A resource's owner may have handed it over to who was next. Whatever is said of it looks whether that is so.
  void handed(ResourceId resource);

  // When the next turn ends of an owner that others of its kind wait for, or a resource is not kept for
  // somebody any more; UINT64_MAX: never. Then tick().
  uint64_t next_tick_ns() const;
  void tick();

  const Standing* standing(ClientId client) const;  // nullptr: not known
  ClientId owner(ResourceId resource) const;        // 0: idle
  bool has_waiters(ResourceId resource) const { return !queues_[resource].empty(); }
  bool keeps_tasks_waiting(ResourceId resource) const;     // with deadlines
  std::vector<Waiter> waiters(ResourceId resource) const;  // in the order in which they will be served
  std::set<ClientId> users() const;                        // who owns a resource or waits for one

 private:
  // The time that an owner is charged for.
  struct Tenure {
    ClientId owner = 0;  // 0: nobody is charged
    uint64_t since_ns = 0;
    uint64_t begin_ns = 0;       // since_ns at first
    uint64_t kept_until_ns = 0;  // it gave the resource back, which is kept for it until then; 0: it did not
    bool was_wanted = false;     // all the time, so that it can't have ended unseen
  };

  // Makes a word say what is true: grants it if it is free (or its owner is `gone`, who has given it back or from whom
  // it is taken; if it has not just handed it over by itself) and someone waits, else sets its flags. Then reports an
  // inversion, or that there is none.
  static constexpr ClientId kNobody = 0;
  void dispatch(ResourceId resource, ClientId gone = kNobody);
  void charge(ResourceId resource);
  void note_handed(ResourceId resource, ClientId owner, std::vector<Waiter>& handed);
  void raise_floor(ResourceId resource);
  void give_places(ResourceId resource, bool freed);
  std::optional<Waiter> update_word(ResourceId resource, ClientId gone, std::vector<Waiter>& handed);
  bool keep(ResourceId resource);
  void begin_tenure(ResourceId resource, bool freed);
  void report_inversion(ResourceId resource) const;
  bool is_more_urgent(const Standing& one, const Standing& other) const;
  bool precedes(ResourceId resource, const Waiter& one, const Waiter& other) const;
  bool revokes(ResourceId resource, const Waiter& waiter, ClientId owner) const;
  size_t first(ResourceId resource, size_t without = SIZE_MAX) const;
  protocol::Word flags(ResourceId resource, ClientId owner, size_t without) const;
  ClientId next(ResourceId resource, ClientId owner, size_t without) const;
  bool shares(ClientId client) const;
  ClientId sharing_owner(ResourceId resource) const;
  protocol::Word load(ResourceId resource, Access access = Access::word) const;
  bool replace(ResourceId resource, protocol::Word& seen, protocol::Word next);

  std::span<std::atomic<protocol::Word>> words_;
  OnGrant on_grant_;
  OnInversion on_inversion_;
  std::function<void(Access)> before_access_;
  Policy policy_ = kFixedPriority;
  uint64_t now_ns_ = 0;
  uint64_t places_given_ = 0;
  std::map<ClientId, Standing> standings_;
  std::vector<std::vector<Waiter>> queues_;  // per resource, in order of arrival
  std::vector<Shares> shares_;               // per resource
  std::vector<Tenure> tenures_;              // per resource
};

}  // namespace samcl::scheduler
