#include "analysis/locking/donation_queues.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace samcl::analysis::locking {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DonationQueues, RequestJoinsTheQueueWithTheLeastWork) {
  DonationQueues queues(4, 2);
  for (size_t task = 0; task < 4; ++task) queues.arrive({static_cast<Time>(task), task});
  queues.request(0, 10);
  queues.request(1, 3);
  queues.request(2, 3);
  queues.request(3, 3);
  EXPECT_EQ(queues.holder(0), 0u);
  EXPECT_EQ(queues.holder(1), 1u);
  EXPECT_THAT(queues.waiting_for(0), IsEmpty());
  EXPECT_THAT(queues.waiting_for(1), ElementsAre(2, 3)) << "6 are less than 10";
}

TEST(DonationQueues, RequestJoinsTheQueuesOfGpusThatItMayHave) {
  DonationQueues queues(4, 3);
  for (size_t task = 0; task < 3; ++task) queues.arrive({static_cast<Time>(task), task});
  const std::vector<int> last = {2}, ends = {2, 0};
  queues.request(0, 1, last);
  queues.request(1, 1, last);
  queues.request(2, 1, ends);
  EXPECT_THAT(queues.waiting_for(2), ElementsAre(1));
  EXPECT_EQ(queues.gpu_of(2), 0);
}

TEST(DonationQueues, WhoIsNoCandidateWaitsOutside) {
  DonationQueues queues(1, 2);
  queues.arrive({5, 5});
  queues.arrive({9, 9});
  queues.request(9, 1);
  EXPECT_EQ(queues.gpu_of(9), kNoGpu) << "though a GPU is free";
  queues.leave(5);
  EXPECT_TRUE(queues.holds(9));
}

TEST(DonationQueues, HeirOfADonorThatDiesIsWhoBecomesACandidate) {
  DonationQueues queues(2, 1);
  for (const size_t task : {8u, 9u}) queues.arrive({static_cast<Time>(task), task});
  for (const size_t task : {9u, 8u}) queues.request(task, 1);
  queues.arrive({1, 1});  // donor of 9
  queues.arrive({2, 2});  // donor of 8
  EXPECT_EQ(queues.donor_of(9), 1u);
  EXPECT_EQ(queues.donor_of(8), 2u);
  queues.leave(1);  // 8 is a candidate again, and its donor is free for 9
  EXPECT_EQ(queues.donor_of(8), std::nullopt);
  EXPECT_EQ(queues.donor_of(9), 2u);
  queues.leave(2);
  EXPECT_EQ(queues.donor_of(9), std::nullopt) << "9 is a candidate, too";
}

// Jobs arrive, ask, end in their turn or before it: what PROOF.md says of the queues holds at any time.
TEST(DonationQueues, AtMostAsManyRequestsAsCpusEachWithACandidate) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr size_t kTasks = 9;
  for (int history = 0; history < 300; ++history) {
    const auto cpus = 1 + static_cast<int>(random() % 5), gpus = 1 + static_cast<int>(random() % 3);
    DonationQueues queues(cpus, gpus);
    std::set<Priority> pending;
    std::set<size_t> asked;
    for (int step = 0; step < 200; ++step) {
      const size_t task = random() % kTasks;
      const auto known = std::find_if(pending.begin(), pending.end(), [&](const auto& p) { return p.task == task; });
      if (known == pending.end()) {
        const Priority priority{static_cast<Time>(random() % 50), task};
        queues.arrive(priority);
        pending.insert(priority);
      } else if (!asked.contains(task)) {
        queues.request(task, 1 + static_cast<Time>(random() % 9));
        asked.insert(task);
      } else if (queues.holds(task) || random() % 4 == 0) {
        if (random() % 2) queues.release(task);
        queues.leave(task);
        pending.erase(known);
        asked.erase(task);
      }
      std::set<size_t> candidates, donors;
      for (const Priority& priority : pending)
        if (candidates.size() < static_cast<size_t>(cpus)) candidates.insert(priority.task);
      size_t joined = 0;
      for (const Priority& priority : pending) {
        const auto donor = queues.donor_of(priority.task);
        if (donor) {
          ASSERT_TRUE(donors.insert(*donor).second) << "it lends its priority twice";
        }
        if (queues.gpu_of(priority.task) == kNoGpu) {
          ASSERT_FALSE(donor) << "there is nothing to wait for";
          continue;
        }
        ++joined;
        const size_t lender = candidates.contains(priority.task) ? priority.task : donor.value_or(kTasks);
        ASSERT_TRUE(candidates.contains(lender)) << "step " << step << ", task " << priority.task;
        ASSERT_TRUE(lender == priority.task || queues.gpu_of(lender) == kNoGpu);
      }
      ASSERT_LE(joined, static_cast<size_t>(cpus));
      for (const size_t candidate : candidates) {
        ASSERT_TRUE(!asked.contains(candidate) || queues.gpu_of(candidate) != kNoGpu || donors.contains(candidate))
            << "it waits outside for nobody";
      }
    }
  }
}

}  // namespace
}  // namespace samcl::analysis::locking
