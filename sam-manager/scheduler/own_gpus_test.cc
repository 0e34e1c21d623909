#include "sam-manager/scheduler/own_gpus.h"

#include <gmock/gmock.h>

#include <random>

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct OwnGpusTest : ::testing::Test {
  std::vector<std::pair<ClientId, int>> granted;
  std::map<int, std::pair<ClientId, std::optional<int>>> inversions;  // as told last, by GPU
  OwnGpus own{4, [this](ClientId client, int gpu) { granted.emplace_back(client, gpu); },
              [this](int gpu, ClientId owner, std::optional<int> inherited) { inversions[gpu] = {owner, inherited}; }};
  const std::vector<int> both = {1, 3};

  // A job of that deadline begins and asks for one of both GPUs.
  void ask(ClientId client, uint64_t deadline, int priority = 1, uint64_t section = 1) {
    own.begin_job(client, {priority, Level::real_time, 1, deadline});
    own.request(client, section, both);
  }
};

TEST_F(OwnGpusTest, AsManyJobsAsThereAreGpusHaveOneEach) {
  own.set_policy(k_exclusion(4));
  for (const ClientId client : {1u, 2u, 3u}) ask(client, client);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3)));
  EXPECT_EQ(own.owner(1), 1u);
  EXPECT_THAT(own.waiting_for(1), ElementsAre(3));
  own.end_job(2);
  EXPECT_EQ(own.owner(3), 0u) << "who waits has its queue";
  own.end_job(1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 1)));
}

TEST_F(OwnGpusTest, ExpectedTimeCountsNotTheirNumber) {
  own.set_policy(k_exclusion(4));
  ask(1, 1, 1, 100);
  ask(2, 2, 1, 10);
  ask(3, 3, 1, 10);
  ask(4, 4, 1, 10);
  EXPECT_THAT(own.waiting_for(3), ElementsAre(3, 4));
}

TEST_F(OwnGpusTest, HolderInheritsFromItsQueueAndFromDonors) {
  own.set_policy(k_exclusion(2));
  const std::vector<int> one = {0};
  for (const ClientId client : {1u, 2u}) {
    own.begin_job(client, {static_cast<int>(client), Level::real_time, 1, 100 + client});
    own.request(client, 1, one);
  }
  EXPECT_THAT(inversions[0], Pair(1, 2)) << "2 waits behind 1";
  // Puts 2 out of the candidates: waits for 2 to be done, and lends its priority to who 2 waits for.
  own.begin_job(3, {9, Level::real_time, 1, 50});
  EXPECT_THAT(inversions[0], Pair(1, 2)) << "it waits for nothing yet";
  own.request(3, 1, one);
  EXPECT_THAT(inversions[0], Pair(1, 9));
  EXPECT_THAT(own.waiting_for(0), ElementsAre(2, 3));
  own.end_job(1);
  EXPECT_EQ(own.owner(0), 2u) << "a later deadline, but it was there";
  EXPECT_THAT(inversions[0], Pair(2, 9));
  own.end_job(2);
  EXPECT_EQ(own.owner(0), 3u);
  EXPECT_THAT(inversions[0], Pair(3, std::optional<int>()));
}

TEST_F(OwnGpusTest, WhoDiesKeepsNobodyWaiting) {
  own.set_policy(k_exclusion(1));
  ask(1, 10);
  ask(2, 5);  // donor of 1
  ask(3, 1);  // in its place
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1)));
  own.end_job(3);
  own.end_job(1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(3, OwnGpus::kNoGpu), Pair(2, 1)));
}

TEST_F(OwnGpusTest, WithoutRulesNobodyWaits) {
  ask(1, 1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, OwnGpus::kNoGpu)));
  own.set_policy(k_exclusion(4));
  for (const ClientId client : {1u, 2u, 3u, 4u}) ask(client, client, static_cast<int>(client));
  granted.clear();
  EXPECT_EQ(inversions[1].second, 3);
  own.set_policy(kEdf);
  EXPECT_THAT(granted, UnorderedElementsAre(Pair(3, OwnGpus::kNoGpu), Pair(4, OwnGpus::kNoGpu)));
  EXPECT_EQ(own.owner(1), 0u);
  EXPECT_EQ(inversions[1].second, std::nullopt);
  own.end_job(1);
}

TEST_F(OwnGpusTest, JobThatNobodyToldOfGoesOnWithout) {
  own.set_policy(k_exclusion(4));
  own.request(1, 1, both);
  own.begin_job(2, {0, Level::shares, 3});
  own.request(2, 1, both);
  own.begin_job(3, {0, Level::real_time});
  own.request(3, 1, {});
  for (const ClientId client : {1u, 2u, 3u}) EXPECT_THAT(granted, ::testing::Contains(Pair(client, OwnGpus::kNoGpu)));
  EXPECT_EQ(own.owner(1), 0u);
}

TEST_F(OwnGpusTest, InheritedIsWhatWaitersHaveNow) {
  own.set_policy(kContainers);
  const std::vector<int> one = {0};
  for (const ClientId client : {1u, 2u}) {
    own.begin_job(client, {static_cast<int>(client), Level::real_time, 1, client});
    own.request(client, 1, one);
  }
  EXPECT_THAT(inversions[0], Pair(1, 2));
  own.set_priority(2, 7);
  EXPECT_THAT(inversions[0], Pair(1, 7));
  own.set_priority(1, 8);
  EXPECT_THAT(inversions[0], Pair(1, std::optional<int>()));
}

TEST_F(OwnGpusTest, DemotedJobComesAfterAllOthers) {
  own.set_policy(k_exclusion(1));
  own.begin_job(1, {0, Level::background, 1, 1});
  ask(2, 1000);
  own.request(1, 1, both);
  EXPECT_THAT(granted, ElementsAre(Pair(2, 1)));
}

TEST_F(OwnGpusTest, SecondJobEndsTheFirst) {
  own.set_policy(k_exclusion(4));
  ask(1, 1);
  ask(2, 2);
  ask(3, 3);
  ask(1, 9);
  EXPECT_EQ(own.owner(1), 3u);
  EXPECT_EQ(own.owner(3), 2u);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 1)));
}

TEST_F(OwnGpusTest, ContainersServeTheEarliestDeadlineAndInterruptNobody) {
  own.set_policy(kContainers);
  const std::vector<int> first = {0}, second = {1};
  const auto ask_for = [&](ClientId client, uint64_t deadline, const std::vector<int>& gpu) {
    own.begin_job(client, {static_cast<int>(client), Level::real_time, 1, deadline});
    own.request(client, 1, gpu);
  };
  ask_for(1, 90, first);
  ask_for(2, 80, first);
  ask_for(3, 20, first);
  ask_for(4, 50, first);
  ask_for(5, 99, second);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 0), Pair(5, 1))) << "each container has a GPU, and a job";
  EXPECT_THAT(own.waiting_for(0), ElementsAre(3, 4, 2));
  EXPECT_THAT(inversions[0], Pair(1, 4));
  for (const ClientId client : {1u, 3u, 4u}) own.end_job(client);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 0), Pair(5, 1), Pair(3, 0), Pair(4, 0), Pair(2, 0)));
}

// Whatever comes: once those who have GPUs give them back, everybody who asked was answered, once per request.
TEST(OwnGpusRandom, NobodyIsLost) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr ClientId kClients = 8;
  const std::vector<std::vector<int>> allowed = {{0, 1, 2}, {0}, {2, 1}};
  for (int history = 0; history < 300; ++history) {
    std::map<ClientId, int> asking;
    std::map<int, ClientId> owners;
    OwnGpus own(
        3,
        [&](ClientId client, int) {
          EXPECT_EQ(asking[client], 1);
          asking[client] = 0;
        },
        [](int, ClientId, std::optional<int>) {});
    own.set_policy(k_exclusion(3));
    for (int step = 0; step < 200; ++step) {
      const ClientId client = 1 + random() % kClients;
      switch (random() % 5) {
        case 0: own.end_job(client); break;
        case 1:
          if (random() % 20 == 0) own.set_policy(policies(static_cast<int>(1 + random() % 3))[random() % 6]);
          break;
        case 2: own.begin_job(client, {1, static_cast<Level>(random() % 3), 1, random() % 50}); break;
        default:
          if (asking[client] == 1) break;
          asking[client] = 1;
          own.request(client, random() % 9, allowed[random() % 3]);
      }
      for (int gpu = 0; gpu < 3; ++gpu) {
        const ClientId owner = own.owner(gpu);
        ASSERT_TRUE(owner == 0 || asking[owner] == 0) << "it has it, and was not told";
      }
    }
    for (ClientId turn = 0; turn < kClients; ++turn)
      for (int gpu = 0; gpu < 3; ++gpu)
        if (const ClientId owner = own.owner(gpu); owner != 0) own.end_job(owner);
    for (ClientId client = 1; client <= kClients; ++client) {
      if (asking[client] == 0) own.end_job(client);
    }
    for (ClientId turn = 0; turn < kClients; ++turn)
      for (int gpu = 0; gpu < 3; ++gpu)
        if (const ClientId owner = own.owner(gpu); owner != 0) own.end_job(owner);
    for (const auto& [client, count] : asking) ASSERT_EQ(count, 0) << "client " << client << " waits for ever";
  }
}

}  // namespace
}  // namespace samcl::scheduler
