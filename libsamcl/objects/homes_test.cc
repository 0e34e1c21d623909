#include "libsamcl/objects/homes.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

namespace samcl {
namespace {

constexpr uint64_t kNs = 100'000, kMovingNs = 5 * kNs;

struct HomesOfQueues : ::testing::Test {
  Homes homes;
  std::array<HomeUse, 6> queues;
  std::vector<unsigned> devices{0, 1};
  uint64_t moving_ns = kMovingNs, making_ns = 0;

  // A launch beside others' work. Where it runs.
  unsigned launch(size_t queue, bool meets_others = true, uint64_t ns = kNs) {
    const Homes::Launch launch{ns, meets_others, [this](unsigned) { return moving_ns; },
                               [this](unsigned, uint64_t worth) { return worth >= making_ns; }};
    return homes.of(queues[queue], launch, devices);
  }
  void work(size_t count, int launches = 50) {
    for (int i = 0; i < launches; ++i)
      for (size_t queue = 0; queue < count; ++queue) launch(queue);
  }
  std::vector<unsigned> homes_of(size_t count) {
    std::vector<unsigned> found;
    for (size_t queue = 0; queue < count; ++queue) found.push_back(queues[queue].device);
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(HomesOfQueues, IsTheFirstDeviceForThoseThatMeetNobody) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(i % 2, false), 0u);
  EXPECT_FALSE(homes.are_many(queues[0]));
}

TEST_F(HomesOfQueues, AreDevicesOfTheirOwn) {
  moving_ns = 0;
  work(2);
  EXPECT_EQ(homes_of(2), (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(homes.are_many(queues[0]));
  EXPECT_TRUE(homes.are_many(queues[1]));
}

TEST_F(HomesOfQueues, AreEvenlyManyOnEachDevice) {
  moving_ns = 0;
  work(4);
  EXPECT_EQ(homes_of(4), (std::vector<unsigned>{0, 0, 1, 1}));
  work(5);
  EXPECT_EQ(homes_of(5), (std::vector<unsigned>{0, 0, 0, 1, 1}));
}

TEST_F(HomesOfQueues, SpreadOverAllDevicesInUse) {
  moving_ns = 0;
  devices = {0, 1, 3};
  work(6);
  EXPECT_EQ(homes_of(6), (std::vector<unsigned>{0, 0, 1, 1, 3, 3}));
}

TEST_F(HomesOfQueues, MoveWhenTheyHaveWaitedAsLongAsThatTakes) {
  launch(0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(launch(1), 0u) << i;
  EXPECT_EQ(launch(1), 1u);
}

TEST_F(HomesOfQueues, MoveWhenAllHaveWaitedAsLongAsTheDeviceTakes) {
  moving_ns = 0;
  making_ns = 10 * kNs;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(launch(0), 0u);
    EXPECT_EQ(launch(1), 0u);
  }
  EXPECT_EQ(launch(0), 0u);
  EXPECT_EQ(launch(1), 1u);
}

TEST_F(HomesOfQueues, AreLeftForGoodByThoseThatMoveBytesAllTheTime) {
  work(2, 7);
  ASSERT_EQ(homes_of(2), (std::vector<unsigned>{0, 1}));
  work(2, 100);
  EXPECT_EQ(homes_of(2), (std::vector<unsigned>{0, 0}));
  moving_ns = 0;
  work(2, 100);
  EXPECT_EQ(homes_of(2), (std::vector<unsigned>{0, 0}));
  EXPECT_FALSE(homes.are_many(queues[0]));
}

TEST_F(HomesOfQueues, LeavePartsToWhoDoesMostOfTheWork) {
  moving_ns = 0;
  work(2);
  for (int i = 0; i < 300; ++i) {
    launch(0, true, 10 * kNs);
    launch(1);
  }
  EXPECT_FALSE(homes.are_many(queues[0]));
  EXPECT_TRUE(homes.are_many(queues[1]));
}

TEST_F(HomesOfQueues, AreFreeAgainWhenAQueueIsGone) {
  moving_ns = 0;
  work(2);
  const size_t elsewhere = queues[0].device == 1 ? 0 : 1;
  homes.left(queues[elsewhere]);
  for (int i = 0; i < 20; ++i)
    for (const size_t queue : {1 - elsewhere, size_t{2}}) launch(queue);
  EXPECT_EQ(queues[1 - elsewhere].device + queues[2].device, 1u);
}

TEST_F(HomesOfQueues, AreAskedForNowAndThenOfLaunchesThatFollowOthers) {
  HomeUse& use = queues[1];
  int seen = 0;
  for (int i = 0; i < 40; ++i) seen += Homes::is_due(use, Homes::kUnseenNs / 10) && launch(1, false) == 0;
  EXPECT_EQ(seen, 4);
  launch(0);
  for (int i = 0; i < 3; ++i) Homes::is_due(use, kNs);
  EXPECT_EQ(launch(1), 0u) << "four launches' time";
  EXPECT_EQ(launch(1), 1u) << "what the others took counts";
}

TEST_F(HomesOfQueues, AreOnlyOnDevicesInUse) {
  moving_ns = 0;
  work(2);
  devices = {0};
  work(2);
  EXPECT_EQ(homes_of(2), (std::vector<unsigned>{0, 0}));
}

}  // namespace
}  // namespace samcl
