#include "sam-manager/scheduler/loans.h"

#include <gmock/gmock.h>

#include <array>

#include "sam-manager/scheduler/testing/release.h"

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::optional<int> kNothing;

struct LoansTest : ::testing::Test {
  std::vector<std::pair<ClientId, std::optional<int>>> changes;
  Loans loans{2, [this](ClientId client, std::optional<int> priority) { changes.emplace_back(client, priority); }};
};

TEST_F(LoansTest, HolderIsLentTheWaitersPriorityUntilTheResourceIsAnothers) {
  loans.update(0, 1, 9);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 9)));
  EXPECT_EQ(loans.of(1), 9);
  loans.update(0, 2, kNothing);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 9), Pair(1, kNothing)));
  EXPECT_EQ(loans.of(1), kNothing);
}

TEST_F(LoansTest, MoreUrgentWaiterRaisesTheLoanAndItsLeavingLowersIt) {
  loans.update(0, 1, 5);
  loans.update(0, 1, 9);
  loans.update(0, 1, 5);
  loans.update(0, 1, kNothing);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 5), Pair(1, 9), Pair(1, 5), Pair(1, kNothing)));
}

TEST_F(LoansTest, NothingIsToldWhereNothingChanges) {
  loans.update(0, 1, kNothing);
  loans.update(0, 1, 9);
  loans.update(0, 1, 9);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 9)));
}

TEST_F(LoansTest, OneWhoHoldsTwoIsLentTheHigherOne) {
  loans.update(0, 1, 9);
  loans.update(1, 1, 5);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 9)));
  loans.update(0, 0, kNothing);
  EXPECT_THAT(changes, ElementsAre(Pair(1, 9), Pair(1, 5)));
  loans.update(1, 0, kNothing);
  EXPECT_EQ(loans.of(1), kNothing);
}

TEST_F(LoansTest, NextHolderMayBorrowToo) {
  loans.update(0, 1, 5);
  changes.clear();
  loans.update(0, 2, 9);
  EXPECT_THAT(changes, ElementsAre(Pair(1, kNothing), Pair(2, 9)));
}

// What the scheduler tells, all the way.
TEST(LoansOfAScheduler, LastFromTheWaitToTheRelease) {
  std::array<std::atomic<protocol::Word>, 1> words{};
  std::vector<std::pair<ClientId, std::optional<int>>> changes;
  Loans loans(1, [&](ClientId client, std::optional<int> priority) { changes.emplace_back(client, priority); });
  Scheduler scheduler(
      words, [](ResourceId, const Waiter&) {},
      [&](ResourceId resource, ClientId owner, std::optional<int> inherited) {
        loans.update(resource, owner, inherited);
      });
  scheduler.add_client(1, {0});
  scheduler.add_client(2, {7});
  scheduler.add_client(3, {9});
  words[0] = 1;
  scheduler.acquire(2, 0, 1);
  EXPECT_EQ(loans.of(1), 7);
  scheduler.acquire(3, 0, 1);
  EXPECT_EQ(loans.of(1), 9);
  scheduler.remove_client(3);
  EXPECT_EQ(loans.of(1), 7) << "the most urgent waiter died";
  scheduler.set_standing(2, {0});
  EXPECT_EQ(loans.of(1), kNothing) << "equals lend each other nothing";
  scheduler.set_standing(2, {8});
  EXPECT_EQ(loans.of(1), 8);
  changes.clear();
  release(scheduler, words[0], 1);
  EXPECT_THAT(changes, ElementsAre(Pair(1, kNothing)));
  changes.clear();
  scheduler.acquire(1, 0, 2);
  EXPECT_THAT(changes, IsEmpty()) << "who holds it is more urgent";
  scheduler.remove_client(2);
  EXPECT_EQ(scheduler.owner(0), 1u);
  EXPECT_THAT(changes, IsEmpty());
}

}  // namespace
}  // namespace samcl::scheduler
