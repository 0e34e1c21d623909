#include "sam-manager/scheduler/scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "sam-manager/scheduler/testing/release.h"

namespace samcl::scheduler {
namespace {

using protocol::kRevoke;
using protocol::kWaiters;
using protocol::next_of;
using protocol::owner_of;
using protocol::with_next;
using protocol::Word;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct SchedulerTest : ::testing::Test {
  std::array<std::atomic<Word>, 2> words{};
  std::vector<uint64_t> granted;  // tickets
  Scheduler scheduler{words, [this](ResourceId, const Waiter& waiter) { granted.push_back(waiter.ticket); }};

  void client(ClientId id, int priority) { scheduler.add_client(id, {priority}); }
  // What a client does before it sends a message.
  bool take(ClientId id, ResourceId resource = 0) {
    Word idle = 0;
    return words[resource].compare_exchange_strong(idle, id);
  }
  bool give_back(ClientId id, ResourceId resource = 0) {
    Word own = id;
    return words[resource].compare_exchange_strong(own, 0);
  }
  // The owner does, before it says so.
  void hand_over(ResourceId resource = 0) { words[resource] = protocol::handed_over(words[resource]); }
};

TEST_F(SchedulerTest, IdleResourceIsGrantedAtOnce) {
  client(1, 0);
  scheduler.acquire(1, 0, 11);
  EXPECT_THAT(granted, ElementsAre(11));
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(words[1], 0u);
}

TEST_F(SchedulerTest, WaiterKeepsTheOwnerFromReleasingUnseen) {
  client(1, 0);
  client(2, 0);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 21);
  EXPECT_FALSE(give_back(1));
  EXPECT_THAT(granted, IsEmpty());
  release(scheduler, words[0], 1);
  EXPECT_THAT(granted, ElementsAre(21));
  EXPECT_EQ(words[0], 2u) << "nobody waits any more";
  EXPECT_TRUE(give_back(2));
}

TEST_F(SchedulerTest, MostUrgentFirstAndInOrderAmongEquals) {
  for (auto [id, priority] : {std::pair{1u, 5}, {2u, 1}, {3u, 9}, {4u, 9}, {5u, 1}}) client(id, priority);
  ASSERT_TRUE(take(1));
  for (ClientId id = 2; id <= 5; ++id) scheduler.acquire(id, 0, id * 10);
  EXPECT_EQ(scheduler.waiters(0).front().client, 3u);
  for (ClientId id : {1u, 3u, 4u, 2u, 5u}) release(scheduler, words[0], id);
  EXPECT_THAT(granted, ElementsAre(30, 40, 20, 50));
  EXPECT_EQ(words[0], 0u);
}

TEST_F(SchedulerTest, OneRequestPerClientAndResource) {
  client(1, 0);
  client(2, 0);
  ASSERT_TRUE(take(1));
  for (uint64_t ticket = 21; ticket < 20'000; ++ticket) scheduler.acquire(2, 0, ticket);
  ASSERT_EQ(scheduler.waiters(0).size(), 1u);
  release(scheduler, words[0], 1);
  EXPECT_THAT(granted, ElementsAre(19'999)) << "the last one is what it waits for";
  EXPECT_FALSE(scheduler.has_waiters(0));
}

TEST_F(SchedulerTest, OwnerWhoAsksAgainLostItsRelease) {
  client(1, 0);
  client(2, 0);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 21);
  // Its release never came.
  scheduler.acquire(1, 0, 11);
  EXPECT_THAT(granted, ElementsAre(21));
  release(scheduler, words[0], 2);
  EXPECT_THAT(granted, ElementsAre(21, 11));
  // Nor did this one, and nobody else waits.
  scheduler.acquire(1, 0, 12);
  EXPECT_THAT(granted, ElementsAre(21, 11, 12));
  EXPECT_EQ(words[0], 1u);
}

TEST_F(SchedulerTest, OnlyMoreUrgentWaitersRevoke) {
  client(1, 5);
  client(2, 5);
  client(3, 6);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 0);
  EXPECT_EQ(words[0], 1 | kWaiters | with_next(2));
  scheduler.acquire(3, 0, 0);
  EXPECT_EQ(words[0], 1 | kWaiters | kRevoke | with_next(3));
  release(scheduler, words[0], 1);
  EXPECT_EQ(words[0], 3 | kWaiters | with_next(2)) << "the less urgent one that still waits does not revoke";
}

TEST_F(SchedulerTest, OwnerHandsOverToWhoIsNext) {
  for (auto [id, priority] : {std::pair{1u, 5}, {2u, 1}, {3u, 9}}) client(id, priority);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 21);
  scheduler.acquire(3, 0, 31);
  hand_over();
  EXPECT_EQ(words[0], 3 | kWaiters | protocol::kHanded) << "who is next after it, nobody has decided yet";
  EXPECT_THAT(granted, IsEmpty());
  scheduler.handed(0);
  EXPECT_THAT(granted, ElementsAre(31));
  EXPECT_EQ(words[0], 3 | kWaiters | with_next(2));
  hand_over();
  scheduler.handed(0);
  EXPECT_EQ(words[0], 2u) << "nobody waits any more";
}

// Its owner died, or is kept from saying so.
TEST_F(SchedulerTest, WhatNobodySaidWasHandedOverIsSeenWithWhateverComesNext) {
  for (auto [id, priority] : {std::pair{1u, 5}, {2u, 1}, {3u, 9}, {4u, 0}}) client(id, priority);
  const std::vector<std::pair<std::string, std::function<void()>>> events = {
      {"its owner before died", [&] { scheduler.remove_client(1); }},
      {"it asks for more", [&] { scheduler.acquire(1, 0, 12); }},
      {"another one asks", [&] { scheduler.acquire(4, 0, 41); }},
      {"the new owner gives it back", [&] { release(scheduler, words[0], 3); }},
      {"the new owner is less urgent now", [&] { scheduler.set_standing(3, {1}); }},
      {"we look", [&] { scheduler.tick(); }}};
  for (const auto& [event, happens] : events) {
    SCOPED_TRACE(event);
    ASSERT_TRUE(take(1));
    scheduler.acquire(2, 0, 21);
    scheduler.acquire(3, 0, 31);
    hand_over();
    granted.clear();
    happens();
    ASSERT_FALSE(granted.empty());
    EXPECT_EQ(granted.front(), 31u);
    EXPECT_EQ(words[0] & protocol::kHanded, 0u);
    for (ClientId id = 1; id <= 4; ++id) scheduler.remove_client(id);
    ASSERT_EQ(words[0], 0u);
    for (auto [id, priority] : {std::pair{1u, 5}, {2u, 1}, {3u, 9}, {4u, 0}}) client(id, priority);
  }
}

TEST_F(SchedulerTest, WhatIsHandedToOneWhoDiedIsGrantedOn) {
  for (const ClientId id : {1u, 2u, 3u}) client(id, 0);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 21);
  scheduler.acquire(3, 0, 31);
  hand_over();
  scheduler.remove_client(2);
  EXPECT_THAT(granted, ElementsAre(31));
  EXPECT_EQ(words[0], 3u);
}

// A request that came in the same moment: whoever has it gives way then.
TEST_F(SchedulerTest, MoreUrgentOneThanWhoWasNextRevokes) {
  for (auto [id, priority] : {std::pair{1u, 5}, {2u, 1}, {3u, 9}}) client(id, priority);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 21);
  hand_over();
  scheduler.acquire(3, 0, 31);
  EXPECT_THAT(granted, ElementsAre(21));
  EXPECT_EQ(words[0], 2 | kWaiters | kRevoke | with_next(3));
}

TEST_F(SchedulerTest, ChangedPriorityChangesRevocation) {
  client(1, 5);
  client(2, 1);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 0);
  scheduler.set_standing(2, {6});
  EXPECT_EQ(words[0], 1 | kWaiters | kRevoke | with_next(2));
  scheduler.set_standing(1, {7});
  EXPECT_EQ(words[0], 1 | kWaiters | with_next(2));
}

TEST_F(SchedulerTest, DeadOwnerIsReplaced) {
  client(1, 5);
  client(2, 1);
  ASSERT_TRUE(take(1, 0));
  ASSERT_TRUE(take(1, 1));
  scheduler.acquire(2, 0, 21);
  scheduler.remove_client(1);
  EXPECT_THAT(granted, ElementsAre(21));
  EXPECT_EQ(words[1], 0u);
}

TEST_F(SchedulerTest, DeadWaiterIsForgotten) {
  client(1, 0);
  client(2, 9);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 0);
  scheduler.remove_client(2);
  EXPECT_EQ(words[0], 1u);
  EXPECT_TRUE(give_back(1));
}

TEST_F(SchedulerTest, LateReleaseAfterTheLastWaiterDiedFreesTheResource) {
  client(1, 0);
  client(2, 0);
  ASSERT_TRUE(take(1));
  scheduler.acquire(2, 0, 0);
  EXPECT_FALSE(give_back(1));  // so client 1 sends a message; before it arrives, client 2 dies
  scheduler.remove_client(2);
  release(scheduler, words[0], 1);
  EXPECT_EQ(words[0], 0u);
}

TEST_F(SchedulerTest, MessagesThatDoNotFitAreIgnored) {
  client(1, 0);
  client(2, 0);
  ASSERT_TRUE(take(1));
  release(scheduler, words[0], 2);
  scheduler.release(1, 99);
  scheduler.acquire(7, 0, 0);
  scheduler.acquire(1, 99, 0);
  EXPECT_EQ(words[0], 1u);
  EXPECT_THAT(granted, IsEmpty());
}

struct PolicyTest : SchedulerTest {
  // Clients 1 to 5: 1 is the most urgent by priority, 5 by deadline.
  void use(const Policy& policy) {
    scheduler.set_policy(policy);
    for (ClientId id = 1; id <= 5; ++id) {
      client(id, 10 - static_cast<int>(id));
      scheduler.set_deadline(id, 100 - id);
    }
  }
  // Who got the resource that client 3 has and others ask for in this order.
  std::vector<ClientId> served(const std::vector<ClientId>& order) {
    EXPECT_TRUE(take(3));
    for (const ClientId id : order) scheduler.acquire(id, 0, id);
    std::vector<ClientId> result;
    for (size_t i = 0; i < order.size(); ++i) {
      release(scheduler, words[0], scheduler.owner(0));
      result.push_back(scheduler.owner(0));
    }
    return result;
  }
};

TEST_F(PolicyTest, FixedPriorityServesTheHighestFirst) {
  use(kFixedPriority);
  EXPECT_THAT(served({2, 5, 1, 4}), ElementsAre(1, 2, 4, 5));
}

TEST_F(PolicyTest, EdfServesTheEarliestDeadlineFirst) {
  use(kEdf);
  EXPECT_THAT(served({2, 5, 1, 4}), ElementsAre(5, 4, 2, 1));
}

TEST_F(PolicyTest, FmlpLongServesInOrderOfArrival) {
  use(kFmlpLong);
  EXPECT_THAT(served({2, 5, 1, 4}), ElementsAre(2, 5, 1, 4));
}

// Two CPUs: client 3 has one place, client 2 the other; who comes later is served by deadline.
TEST_F(PolicyTest, OmlpServesAsManyAsThereAreCpusInOrderOfArrival) {
  use(omlp(2));
  EXPECT_THAT(served({2, 1, 4, 5}), ElementsAre(2, 5, 4, 1));
}

TEST_F(PolicyTest, OmlpGivesAPlaceWhenOneIsFree) {
  use(omlp(2));
  ASSERT_TRUE(take(3));
  for (const ClientId id : {2u, 1u}) scheduler.acquire(id, 0, id);
  release(scheduler, words[0], 3);  // 2 has it, and 1 got the other place
  scheduler.acquire(5, 0, 5);
  release(scheduler, words[0], 2);
  EXPECT_EQ(scheduler.owner(0), 1u) << "though 5 is more urgent";
}

TEST_F(PolicyTest, WhetherAnOwnerGivesWayIsThePolicys) {
  use(kFixedPriority);
  ASSERT_TRUE(take(3));
  scheduler.acquire(1, 0, 1);
  EXPECT_EQ(words[0], 3 | kWaiters | kRevoke | with_next(1));
  scheduler.set_policy(kFmlpLong);
  EXPECT_EQ(words[0], 3 | kWaiters | with_next(1));
  scheduler.set_policy(omlp(2));
  EXPECT_EQ(words[0], 3 | kWaiters | with_next(1));
  scheduler.set_policy(kEdf);
  EXPECT_EQ(words[0], 3 | kWaiters | with_next(1)) << "its deadline is later";
  scheduler.set_deadline(1, 1);
  EXPECT_EQ(words[0], 3 | kWaiters | kRevoke | with_next(1));
}

TEST_F(PolicyTest, ProgramsWithoutDeadlinesGiveWayUnderAllOfThem) {
  for (const Policy& policy : policies(2)) {
    SCOPED_TRACE(policy.name);
    scheduler.set_policy(policy);
    scheduler.add_client(1, {0, Level::shares, 1000});
    scheduler.add_client(2, {0, Level::real_time});
    ASSERT_TRUE(take(1));
    scheduler.acquire(2, 0, 2);
    EXPECT_NE(words[0].load() & kRevoke, 0u);
    scheduler.remove_client(2);
    ASSERT_TRUE(give_back(1));
  }
}

// Against the plainest possible statement of the rule, over random histories.
TEST(SchedulerRandom, AgreesWithTheRule) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr ClientId kClients = 6;
  struct Wish {
    ClientId client;
    uint64_t arrival;
  };
  for (int history = 0; history < 200; ++history) {
    std::array<std::atomic<Word>, 1> words{};
    std::map<ClientId, int> priorities;
    std::vector<Wish> waiting;
    ClientId owner = 0;
    ClientId granted = 0;
    Scheduler scheduler(words, [&](ResourceId, const Waiter& waiter) { granted = waiter.client; });
    const auto best = [&] {
      auto best = waiting.begin();
      for (auto it = waiting.begin(); it != waiting.end(); ++it)
        if (priorities[it->client] > priorities[best->client]) best = it;
      return best;
    };
    const auto next = [&]() -> ClientId {
      if (waiting.empty()) return 0;
      const ClientId chosen = best()->client;
      waiting.erase(best());
      return chosen;
    };
    for (ClientId id = 1; id <= kClients; ++id) {
      priorities[id] = static_cast<int>(random() % 3);
      scheduler.add_client(id, {priorities[id]});
    }
    for (uint64_t step = 0; step < 100; ++step) {
      const ClientId id = 1 + random() % kClients;
      granted = 0;
      ClientId expected = 0;
      const bool waits = std::any_of(waiting.begin(), waiting.end(), [id](const Wish& w) { return w.client == id; });
      switch (random() % 4) {
        case 0:
        case 1:
          if (!priorities.contains(id) || owner == id || waits) break;
          if (owner == 0) {
            owner = expected = id;
          } else {
            waiting.push_back({id, step});
          }
          scheduler.acquire(id, 0, step);
          break;
        case 2:
          if (owner == 0) break;
          if (!waiting.empty() && random() % 2) {
            words[0] = protocol::handed_over(words[0]);
            scheduler.handed(0);
          } else {
            release(scheduler, words[0], owner);
          }
          owner = expected = next();
          break;
        case 3:
          if (random() % 2) {
            priorities[id] = static_cast<int>(random() % 3);
            scheduler.set_standing(id, {priorities[id]});
            break;
          }
          std::erase_if(waiting, [id](const Wish& w) { return w.client == id; });
          if (owner == id) owner = expected = next();
          scheduler.remove_client(id);
          priorities[id] = 0;
          scheduler.add_client(id, {0});
          break;
      }
      ASSERT_EQ(granted, expected) << "step " << step;
      const bool revoked = std::any_of(waiting.begin(), waiting.end(),
                                       [&](const Wish& w) { return priorities[w.client] > priorities[owner]; });
      ASSERT_EQ(words[0].load(),
                owner | (waiting.empty() ? 0 : kWaiters | with_next(best()->client)) | (revoked ? kRevoke : 0))
          << step;
    }
  }
}

// Under any policy, with programs of every kind, and while all of it changes: the words say what is true, and
// who waits is served once the others give back what they have.
TEST(SchedulerRandom, NobodyIsLostUnderAnyPolicy) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr ClientId kClients = 7;
  for (int history = 0; history < 300; ++history) {
    std::array<std::atomic<Word>, 1> words{};
    std::map<ClientId, Level> levels;
    std::vector<ClientId> waiting;
    uint64_t now = 1;
    Scheduler scheduler(words, [&](ResourceId, const Waiter& waiter) { std::erase(waiting, waiter.client); });
    const auto add = [&](ClientId id) {
      levels[id] = static_cast<Level>(random() % 3);
      scheduler.add_client(
          id, {static_cast<int>(random() % 4), levels[id], 1 + static_cast<uint32_t>(random() % 5), random() % 100});
    };
    for (ClientId id = 1; id <= kClients; ++id) add(id);
    for (int step = 0; step < 200; ++step) {
      now += random() % 3'000'000;
      scheduler.advance_time(now);
      const ClientId id = 1 + random() % kClients, owner = scheduler.owner(0);
      const bool is_in = std::count(waiting.begin(), waiting.end(), id) > 0 || owner == id;
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          if (is_in) break;
          waiting.push_back(id);
          scheduler.acquire(id, 0, 1);
          break;
        case 3:
        case 4:
          // Without a word about it, now and then.
          if (next_of(words[0]) != 0 && random() % 2) {
            words[0] = protocol::handed_over(words[0]);
            if (random() % 2) scheduler.handed(0);
          } else {
            release(scheduler, words[0], owner);
          }
          break;
        case 5: scheduler.set_policy(policies(2)[random() % policies(2).size()]); break;
        case 6:
          scheduler.set_deadline(id, random() % 100);
          scheduler.tick();
          break;
        case 7:
          std::erase(waiting, id);
          scheduler.remove_client(id);
          add(id);
          break;
      }
      ASSERT_EQ(scheduler.waiters(0).size(), waiting.size()) << "step " << step;
      const Word word = words[0].load();
      std::set<ClientId> users(waiting.begin(), waiting.end());
      if (owner_of(word) != 0) users.insert(owner_of(word));
      ASSERT_EQ(scheduler.users(), users) << "step " << step;
      ASSERT_EQ((word & kWaiters) != 0, !waiting.empty()) << "step " << step;
      ASSERT_TRUE(owner_of(word) != 0 || word == 0);
      for (const ClientId waiter : waiting)
        if (levels.at(waiter) > levels.at(owner_of(word)) && (word & protocol::kHanded) == 0) {
          ASSERT_NE(word & kRevoke, 0u) << "step " << step;
        }
    }
    for (ClientId left = kClients; left > 0 && !waiting.empty(); --left)
      release(scheduler, words[0], scheduler.owner(0));
    ASSERT_TRUE(waiting.empty());
  }
}

}  // namespace
}  // namespace samcl::scheduler
