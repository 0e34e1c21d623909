#include "libsamcl/memory/storage.h"

#include <gmock/gmock.h>

#include <map>
#include <thread>
#include <vector>

#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/fake_manager.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::ElementsAre;
using testing::FakeDriver;

constexpr uint64_t kSize = 1000;
using Piece = Directory::Piece;

struct StorageTest : ::testing::Test {
  static constexpr unsigned kDevices = 3;
  FakeDriver driver{kDevices};
  std::shared_ptr<Context> context = driver.make_context();
  std::unique_ptr<Storage> storage = std::make_unique<Storage>(context, kSize, nullptr);
  ~StorageTest() override { EXPECT_EQ(driver.misuses(), 0); }

  cl_mem replica(unsigned device) {
    cl_int error;
    return storage->replica(device, &error);
  }
  // A launch uses all of it, and each of these devices needs that range.
  void used_on(const std::vector<std::pair<unsigned, Range>>& needed) {
    std::vector<Storage::Need> needs;
    for (const auto& [device, range] : needed) needs.push_back({device, {&range, 1}});
    storage->used_on({0, kSize}, needs);
  }
};

TEST_F(StorageTest, ReplicasAreMadeWhenNeededAndGivenBack) {
  EXPECT_EQ(driver.live_buffers(), 0);
  EXPECT_EQ(replica(1), replica(1));
  EXPECT_EQ(driver.live_buffers(), 1);
  storage.reset();
  EXPECT_EQ(driver.live_buffers(), 0);
}

TEST_F(StorageTest, TheManagerHearsOfEachDevicesMemory) {
  struct : testing::FakeManager {
    std::map<uint32_t, int64_t> memory;
    void memory_changed(uint32_t device, int64_t bytes) override { memory[device] += bytes; }
  } manager;
  context = driver.make_context(&manager);
  storage = std::make_unique<Storage>(context, kSize, nullptr);
  EXPECT_THAT(manager.memory, ::testing::IsEmpty());
  replica(0);
  replica(2);
  replica(2);
  EXPECT_THAT(manager.memory, ElementsAre(::testing::Pair(0, kSize), ::testing::Pair(2, kSize)));
  storage.reset();
  EXPECT_THAT(manager.memory, ElementsAre(::testing::Pair(0, 0), ::testing::Pair(2, 0)));
  context.reset();
}

TEST_F(StorageTest, AReplicaIsGivenBackUnlessSomebodyNeedsIt) {
  testing::FakeManager manager;
  context = driver.make_context(&manager);
  auto memory = std::make_shared<Storage>(context, kSize, nullptr);
  EXPECT_FALSE(memory->will_have_replica(1));
  EXPECT_TRUE(memory->expect_replica(1));
  EXPECT_FALSE(memory->expect_replica(1));
  EXPECT_TRUE(memory->will_have_replica(1));
  cl_int error;
  memory->replica(1, &error);
  EXPECT_TRUE(memory->can_evict());
  memory->forget_replica(1);
  EXPECT_FALSE(memory->will_have_replica(1)) << "though it has one still";
  {
    const Storage::Pin pin(*memory);
    EXPECT_FALSE(memory->can_evict());
    memory->drop_replica(1);
    EXPECT_EQ(manager.memory(1), kSize);
    EXPECT_EQ(memory->dropped(), 0u);
  }
  memory->drop_replica(1);
  EXPECT_EQ(manager.memory(1), 0u);
  EXPECT_EQ(memory->dropped(), 1u);
  EXPECT_EQ(driver.live_buffers(), 0);
  EXPECT_NE(memory->replica(1, &error), nullptr);
  EXPECT_THAT(context->storages.all(), ElementsAre(memory));
  memory.reset();
  EXPECT_THAT(context->storages.all(), ::testing::IsEmpty());
}

TEST_F(StorageTest, MemoryOfTheProgramsOwnStays) {
  std::vector<std::byte> bytes(kSize);
  Storage over(context, kSize, bytes.data());
  cl_int error;
  over.replica(0, &error);
  EXPECT_FALSE(over.can_evict());
}

TEST_F(StorageTest, AReplicaThatCannotBeHadIsTriedAgain) {
  driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  cl_int error;
  EXPECT_EQ(storage->replica(0, &error), nullptr);
  EXPECT_EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_NE(storage->replica(0, &error), nullptr);
  EXPECT_EQ(error, CL_SUCCESS);
}

TEST_F(StorageTest, ReplicasAreMadeOnceWhoeverAsksFirst) {
  const int before = driver.count(Call::create_buffer);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { replica(0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(driver.count(Call::create_buffer), before + 1);
}

TEST_F(StorageTest, TheProgramsMemoryIsTheHostCopy) {
  std::vector<std::byte> memory(kSize);
  Storage over(context, kSize, memory.data());
  EXPECT_EQ(over.host(), memory.data());
  EXPECT_EQ(over.directory().missing_bytes({0, kSize}, kHost), 0u);
  EXPECT_EQ(over.directory().missing_bytes({0, kSize}, 0), kSize);
}

TEST_F(StorageTest, TheHostCopyIsMadeOnceAndStays) {
  EXPECT_FALSE(storage->has_host_copy());
  std::byte* host = storage->host();
  ASSERT_NE(host, nullptr);
  EXPECT_EQ(storage->host(), host);
}

TEST_F(StorageTest, DevicesOfTheirOwnMemoryAreNotShared) {
  EXPECT_FALSE(storage->shared());
  EXPECT_EQ(storage->place_of(2), 2u);
}

TEST_F(StorageTest, BytesFromTheHostGoToTheFirstDeviceUntilTheirUseIsKnown) {
  EXPECT_EQ(storage->destination(), only(0)) << "where the first launch will be";
  EXPECT_THAT(storage->destinations({0, 10}), ElementsAre(Piece{{0, 10}, only(0)}));
}

TEST_F(StorageTest, BytesFromTheHostGoWhereTheLastLaunchNeededThem) {
  storage->destinations({0, kSize});
  used_on({{0, {0, 600}}, {1, {400, 900}}});
  EXPECT_THAT(storage->destinations({0, kSize}),
              ElementsAre(Piece{{0, 400}, only(0)}, Piece{{400, 600}, only(0) | only(1)}, Piece{{600, 900}, only(1)},
                          Piece{{900, kSize}, only(0)}));
}

TEST_F(StorageTest, OnlyTheFirstLaunchAfterBytesCameCounts) {
  storage->destinations({0, kSize});
  used_on({{0, {0, kSize}}});
  used_on({{1, {0, kSize}}});
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(0)}));
}

TEST_F(StorageTest, BytesFromTheHostGoToTheHostCopyIfALaunchMergesThere) {
  storage->host();
  storage->used_on(only(0) | only(1));
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(kHost)}));
}

TEST_F(StorageTest, BytesFromTheHostGoPastAHostCopyOfOursToTheOneDeviceInUse) {
  storage->host();
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(kHost)})) << "no use is known";
  storage->used_on(only(1));
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(1)}));
}

TEST_F(StorageTest, FillsGoPastAnyHostCopyUnlessALaunchMergesThere) {
  storage->host();
  EXPECT_EQ(storage->to_be_filled(), only(0)) << "where the first launch will be";
  storage->used_on(only(1));
  EXPECT_EQ(storage->to_be_filled(), only(1));
  EXPECT_EQ(storage->only_user(), only(1));
  used_on({{0, {0, 600}}, {1, {400, 900}}});
  EXPECT_EQ(storage->to_be_filled(), only(0) | only(1));
  EXPECT_EQ(storage->only_user(), 0u);
  storage->used_on(only(0) | only(1));
  EXPECT_EQ(storage->to_be_filled(), only(kHost));
  std::vector<std::byte> memory(kSize);
  Storage over(context, kSize, memory.data());
  over.used_on(only(1));
  EXPECT_EQ(over.to_be_filled(), only(1));
}

TEST_F(StorageTest, BytesFromTheHostStayInTheProgramsMemory) {
  std::vector<std::byte> memory(kSize);
  Storage over(context, kSize, memory.data());
  over.used_on(only(1));
  EXPECT_THAT(over.destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(kHost)}));
}

TEST_F(StorageTest, EveryWriteIsANewVersion) {
  const uint64_t before = storage->version();
  storage->written({0, 1}, only(0));
  EXPECT_NE(storage->version(), before);
}

}  // namespace
}  // namespace samcl
