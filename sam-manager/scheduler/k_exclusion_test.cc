#include "sam-manager/scheduler/k_exclusion.h"

#include <gmock/gmock.h>

#include <random>

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct KExclusionTest : ::testing::Test {
  std::vector<std::pair<ClientId, int>> granted;
  std::map<int, std::pair<ClientId, std::optional<int>>> inversions;  // as told last, by GPU
  KExclusion exclusion{
      4, [this](ClientId client, int gpu) { granted.emplace_back(client, gpu); },
      [this](int gpu, ClientId owner, std::optional<int> inherited) { inversions[gpu] = {owner, inherited}; }};
  const std::vector<int> both = {1, 3};

  // A job of that deadline begins and asks for one of both GPUs.
  void ask(ClientId client, uint64_t deadline, int priority = 1, uint64_t section = 1) {
    exclusion.begin_job(client, {priority, Level::real_time, 1, deadline});
    exclusion.request(client, section, both);
  }
};

TEST_F(KExclusionTest, AsManyJobsAsThereAreGpusHaveOneEach) {
  exclusion.set_candidates(4);
  for (const ClientId client : {1u, 2u, 3u}) ask(client, client);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3)));
  EXPECT_EQ(exclusion.owner(1), 1u);
  EXPECT_THAT(exclusion.waiting_for(1), ElementsAre(3));
  exclusion.end_job(2);
  EXPECT_EQ(exclusion.owner(3), 0u) << "who waits has its queue";
  exclusion.end_job(1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 1)));
}

TEST_F(KExclusionTest, ExpectedTimeCountsNotTheirNumber) {
  exclusion.set_candidates(4);
  ask(1, 1, 1, 100);
  ask(2, 2, 1, 10);
  ask(3, 3, 1, 10);
  ask(4, 4, 1, 10);
  EXPECT_THAT(exclusion.waiting_for(3), ElementsAre(3, 4));
}

TEST_F(KExclusionTest, HolderInheritsFromItsQueueAndFromDonors) {
  exclusion.set_candidates(2);
  const std::vector<int> one = {0};
  for (const ClientId client : {1u, 2u}) {
    exclusion.begin_job(client, {static_cast<int>(client), Level::real_time, 1, 100 + client});
    exclusion.request(client, 1, one);
  }
  EXPECT_THAT(inversions[0], Pair(1, 2)) << "2 waits behind 1";
  // Puts 2 out of the candidates: waits for 2 to be done, and lends its priority to who 2 waits for.
  exclusion.begin_job(3, {9, Level::real_time, 1, 50});
  EXPECT_THAT(inversions[0], Pair(1, 2)) << "it waits for nothing yet";
  exclusion.request(3, 1, one);
  EXPECT_THAT(inversions[0], Pair(1, 9));
  EXPECT_THAT(exclusion.waiting_for(0), ElementsAre(2, 3));
  exclusion.end_job(1);
  EXPECT_EQ(exclusion.owner(0), 2u) << "a later deadline, but it was there";
  EXPECT_THAT(inversions[0], Pair(2, 9));
  exclusion.end_job(2);
  EXPECT_EQ(exclusion.owner(0), 3u);
  EXPECT_THAT(inversions[0], Pair(3, std::optional<int>()));
}

TEST_F(KExclusionTest, WhoDiesKeepsNobodyWaiting) {
  exclusion.set_candidates(1);
  ask(1, 10);
  ask(2, 5);  // donor of 1
  ask(3, 1);  // in its place
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1)));
  exclusion.end_job(3);
  exclusion.end_job(1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(3, KExclusion::kNoGpu), Pair(2, 1)));
}

TEST_F(KExclusionTest, WithoutRulesNobodyWaits) {
  ask(1, 1);
  EXPECT_THAT(granted, ElementsAre(Pair(1, KExclusion::kNoGpu)));
  exclusion.set_candidates(4);
  for (const ClientId client : {1u, 2u, 3u, 4u}) ask(client, client, static_cast<int>(client));
  granted.clear();
  EXPECT_EQ(inversions[1].second, 3);
  exclusion.set_candidates(0);
  EXPECT_THAT(granted, UnorderedElementsAre(Pair(3, KExclusion::kNoGpu), Pair(4, KExclusion::kNoGpu)));
  EXPECT_EQ(exclusion.owner(1), 0u);
  EXPECT_EQ(inversions[1].second, std::nullopt);
  exclusion.end_job(1);
}

TEST_F(KExclusionTest, JobThatNobodyToldOfGoesOnWithout) {
  exclusion.set_candidates(4);
  exclusion.request(1, 1, both);
  exclusion.begin_job(2, {0, Level::shares, 3});
  exclusion.request(2, 1, both);
  exclusion.begin_job(3, {0, Level::real_time});
  exclusion.request(3, 1, {});
  for (const ClientId client : {1u, 2u, 3u})
    EXPECT_THAT(granted, ::testing::Contains(Pair(client, KExclusion::kNoGpu)));
  EXPECT_EQ(exclusion.owner(1), 0u);
}

TEST_F(KExclusionTest, DemotedJobComesAfterAllOthers) {
  exclusion.set_candidates(1);
  exclusion.begin_job(1, {0, Level::background, 1, 1});
  ask(2, 1000);
  exclusion.request(1, 1, both);
  EXPECT_THAT(granted, ElementsAre(Pair(2, 1)));
}

TEST_F(KExclusionTest, SecondJobEndsTheFirst) {
  exclusion.set_candidates(4);
  ask(1, 1);
  ask(2, 2);
  ask(3, 3);
  ask(1, 9);
  EXPECT_EQ(exclusion.owner(1), 3u);
  EXPECT_EQ(exclusion.owner(3), 2u);
  EXPECT_THAT(granted, ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 1)));
}

// Whatever comes: once those who have GPUs give them back, everybody who asked was answered, once per request.
TEST(KExclusionRandom, NobodyIsLost) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr ClientId kClients = 8;
  const std::vector<std::vector<int>> allowed = {{0, 1, 2}, {0}, {2, 1}};
  for (int history = 0; history < 300; ++history) {
    std::map<ClientId, int> asking;
    std::map<int, ClientId> owners;
    KExclusion exclusion(
        3,
        [&](ClientId client, int) {
          EXPECT_EQ(asking[client], 1);
          asking[client] = 0;
        },
        [](int, ClientId, std::optional<int>) {});
    exclusion.set_candidates(3);
    for (int step = 0; step < 200; ++step) {
      const ClientId client = 1 + random() % kClients;
      switch (random() % 5) {
        case 0: exclusion.end_job(client); break;
        case 1:
          if (random() % 20 == 0) exclusion.set_candidates(random() % 4);
          break;
        case 2: exclusion.begin_job(client, {1, static_cast<Level>(random() % 3), 1, random() % 50}); break;
        default:
          if (asking[client] == 1) break;
          asking[client] = 1;
          exclusion.request(client, random() % 9, allowed[random() % 3]);
      }
      for (int gpu = 0; gpu < 3; ++gpu) {
        const ClientId owner = exclusion.owner(gpu);
        ASSERT_TRUE(owner == 0 || asking[owner] == 0) << "it has it, and was not told";
      }
    }
    for (ClientId turn = 0; turn < kClients; ++turn)
      for (int gpu = 0; gpu < 3; ++gpu)
        if (const ClientId owner = exclusion.owner(gpu); owner != 0) exclusion.end_job(owner);
    for (ClientId client = 1; client <= kClients; ++client) {
      if (asking[client] == 0) exclusion.end_job(client);
    }
    for (ClientId turn = 0; turn < kClients; ++turn)
      for (int gpu = 0; gpu < 3; ++gpu)
        if (const ClientId owner = exclusion.owner(gpu); owner != 0) exclusion.end_job(owner);
    for (const auto& [client, count] : asking) ASSERT_EQ(count, 0) << "client " << client << " waits for ever";
  }
}

}  // namespace
}  // namespace samcl::scheduler
