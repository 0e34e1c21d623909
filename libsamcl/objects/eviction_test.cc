// Giving memory of devices back, on simulated devices: what stays, what comes back, and that limits are kept.
#include "libsamcl/objects/eviction.h"

#include <gmock/gmock.h>

#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Call;
using testing::Footprints;
using testing::KernelPtr;
using testing::Translated;
using testing::Words;

constexpr size_t kWords = 256, kBytes = kWords * sizeof(cl_uint), kBuffers = 6;
using Arguments = std::vector<std::span<cl_uint>>;

// One device, which a manager grants, and some buffers there.
struct Evictions : ::testing::Test {
  testing::FakeManager manager;
  testing::SimulatedMachine machine{1, &manager};
  const testing::QueuePtr queue = machine.in_order_queue();
  const KernelPtr incrementing =
      machine.kernel(Translated("increment").updates().footprint(Footprints().element(0, Footprints::adds)),
                     [](size_t i, const Arguments& a) { ++a[0][i]; });
  const KernelPtr adding = machine.kernel(Translated("add").reads().updates().footprint(
                                              Footprints().element(0, Footprints::reads).element(1, Footprints::adds)),
                                          [](size_t i, const Arguments& a) { a[1][i] += a[0][i]; });
  std::vector<BufferPtr> buffers;

  ~Evictions() override {
    machine.run();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }
  void SetUp() override {
    if (machine.context->shares_host_memory()) GTEST_SKIP() << "there is one memory";
    for (size_t b = 0; b < kBuffers; ++b) {
      buffers.push_back(machine.buffer(kWords));
      machine.write(queue, buffers[b], 0, Words(kWords, static_cast<cl_uint>(10 * b)));
      increment(b);
    }
  }
  void increment(size_t b) { machine.launch(queue, incrementing, {buffers[b]}, kWords); }
  void evict(uint64_t bytes) {
    machine.graph.enter(Event::make_shared(machine.context, nullptr, CL_COMMAND_MIGRATE_MEM_OBJECTS),
                        eviction(0, bytes));
  }
  bool is_there(size_t b) const { return buffers[b]->storage->has_replica(0); }
  // Memory that others cannot see is asked for where there is none that they can.
  unsigned calls_for_a_replica() const { return machine.context->peers ? 2 : 1; }
};

TEST_F(Evictions, WhatWasNotUsedForLongestGoesFirst) {
  increment(0);
  evict(2 * kBytes);
  machine.run();
  EXPECT_TRUE(is_there(0));
  EXPECT_FALSE(is_there(1));
  EXPECT_FALSE(is_there(2));
  EXPECT_TRUE(is_there(3));
  EXPECT_EQ(manager.memory(0), (kBuffers - 2) * kBytes);
  EXPECT_EQ(machine.contents(buffers[1]), Words(kWords, 11));
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 2));
}

TEST_F(Evictions, AReplicaComesBackWithItsBytes) {
  evict(kBuffers * kBytes);
  machine.run();
  EXPECT_EQ(manager.memory(0), 0u);
  increment(3);
  machine.run();
  EXPECT_TRUE(is_there(3));
  EXPECT_EQ(machine.contents(buffers[3]), Words(kWords, 32));
}

TEST_F(Evictions, TheLimitIsKeptHoweverFarTheProgramIsAhead) {
  manager.limit = 2 * kBytes;
  evict((kBuffers - 2) * kBytes);
  for (int round = 0; round < 3; ++round)
    for (size_t b = 0; b < kBuffers; ++b) increment(b);
  machine.run();
  EXPECT_LE(manager.memory(0), manager.limit.load());
  for (size_t b = 0; b < kBuffers; ++b)
    EXPECT_EQ(machine.contents(buffers[b]), Words(kWords, static_cast<cl_uint>(10 * b + 4)));
}

TEST_F(Evictions, ALaunchHasAllThatItNeedsBeyondAnyLimit) {
  evict(kBuffers * kBytes);
  machine.run();
  manager.limit = kBytes;
  machine.launch(queue, adding, {buffers[4], buffers[5]}, kWords);
  machine.run();
  EXPECT_TRUE(is_there(4) && is_there(5));
  EXPECT_EQ(machine.contents(buffers[5]), Words(kWords, 92));
}

TEST_F(Evictions, WhatIsMappedOrHasPartsInUseStays) {
  const auto pin = std::make_shared<Storage::Pin>(*buffers[0]->storage);
  const BufferPtr part = machine.part(buffers[1], 0, kWords / 2);
  machine.launch(queue, incrementing, {part}, kWords / 2);
  evict(kBuffers * kBytes);
  machine.run();
  EXPECT_TRUE(is_there(0));
  EXPECT_TRUE(is_there(1)) << "the launch made a part of it when it ran";
  EXPECT_EQ(manager.memory(0), 2 * kBytes);
  EXPECT_EQ(machine.contents(buffers[1])[0], 12u);
}

TEST_F(Evictions, WhatCannotBeBroughtToTheHostStaysWhereItIs) {
  machine.run();
  machine.driver.fail(Call::read, CL_OUT_OF_RESOURCES);
  evict(kBytes);
  machine.run();
  EXPECT_TRUE(is_there(0));
  EXPECT_EQ(manager.memory(0), kBuffers * kBytes);
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 1)) << "no byte is lost";
  increment(0);
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 2));
}

TEST_F(Evictions, WhatStayedIsThereForTheNextLaunch) {
  machine.run();
  machine.driver.fail(Call::read, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  evict(2 * kBytes);
  increment(0);
  increment(1);
  machine.run();
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 2));
  EXPECT_EQ(machine.contents(buffers[1]), Words(kWords, 12));
}

TEST_F(Evictions, WhileItCannotBeHadCommandsThatNeedItFail) {
  machine.run();
  machine.driver.fail(Call::read, CL_OUT_OF_RESOURCES, 2);
  evict(kBytes);
  const auto reading = machine.read(queue, buffers[0], 0, kWords);
  machine.run();
  EXPECT_LT(reading.event->status(), 0);
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 1)) << "the next one has it";
}

TEST_F(Evictions, RoomThatCannotBeMadeFailsNoCommand) {
  machine.run();
  manager.limit = kBuffers * kBytes;
  const BufferPtr another = machine.buffer(kWords);
  machine.driver.fail(Call::read, CL_OUT_OF_RESOURCES);
  machine.write(queue, another, 0, Words(kWords, 7));
  const auto launch = machine.launch(queue, incrementing, {another}, kWords);
  machine.run();
  EXPECT_EQ(launch->status(), CL_COMPLETE);
  EXPECT_EQ(machine.contents(another), Words(kWords, 8));
  for (size_t b = 0; b < kBuffers; ++b)
    EXPECT_EQ(machine.contents(buffers[b]), Words(kWords, static_cast<cl_uint>(10 * b + 1))) << b;
}

TEST_F(Evictions, MappedMemoryHasWhatStayed) {
  machine.run();
  const auto* const words = reinterpret_cast<const cl_uint*>(buffers[0]->storage->host());
  machine.driver.fail(Call::read, CL_OUT_OF_RESOURCES);
  evict(kBytes);
  const auto mapping = machine.submit(queue, map_buffer(buffers[0], Rectangle::run(0, kBytes), CL_MAP_READ));
  machine.run();
  EXPECT_EQ(mapping->status(), CL_COMPLETE);
  EXPECT_EQ(Words(words, words + kWords), Words(kWords, 1));
}

TEST_F(Evictions, MakeRoomWhereTheDriverHasNoMemoryForAReplica) {
  machine.run();
  const BufferPtr another = machine.buffer(kWords);
  machine.driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 2 * calls_for_a_replica());
  const auto writing = machine.write(queue, another, 0, Words(kWords, 7));
  const auto launch = machine.launch(queue, incrementing, {another}, kWords);
  machine.run();
  EXPECT_EQ(writing->status(), CL_COMPLETE);
  EXPECT_EQ(launch->status(), CL_COMPLETE);
  EXPECT_EQ(machine.contents(another), Words(kWords, 8));
  EXPECT_FALSE(is_there(0) || is_there(1)) << "one for each refusal";
  EXPECT_TRUE(is_there(2));
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 1));
  EXPECT_EQ(machine.contents(buffers[1]), Words(kWords, 11));
}

TEST_F(Evictions, MakeRoomWhereTheDriverHasNoMemoryForALaunch) {
  machine.run();
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES);
  const auto launch = machine.launch(queue, adding, {buffers[0], buffers[5]}, kWords);
  machine.run();
  EXPECT_EQ(launch->status(), CL_COMPLETE);
  EXPECT_TRUE(is_there(0)) << "what it needs itself";
  EXPECT_FALSE(is_there(1));
  EXPECT_EQ(machine.contents(buffers[5]), Words(kWords, 52)) << "once";
  EXPECT_EQ(machine.contents(buffers[1]), Words(kWords, 11));
}

TEST_F(Evictions, WhereAllIsGivenBackTheDriversWordStands) {
  machine.run();
  const BufferPtr another = machine.buffer(kWords);
  machine.driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 100);
  const auto writing = machine.write(queue, another, 0, Words(kWords, 7));
  machine.run();
  EXPECT_EQ(writing->status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  machine.driver.fail(Call::create_buffer, CL_SUCCESS, 0);
  for (size_t b = 0; b < kBuffers; ++b)
    EXPECT_EQ(machine.contents(buffers[b]), Words(kWords, static_cast<cl_uint>(10 * b + 1))) << b;
}

TEST_F(Evictions, WhatPlannedCommandsUseIsNotGivenBackToADriver) {
  machine.run();
  const BufferPtr another = machine.buffer(kWords);
  machine.driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, calls_for_a_replica());
  const auto writing = machine.write(queue, another, 0, Words(kWords, 7));
  for (size_t b = 0; b + 1 < kBuffers; ++b) increment(b);
  machine.run();
  EXPECT_EQ(writing->status(), CL_COMPLETE);
  EXPECT_FALSE(is_there(kBuffers - 1)) << "the only one";
  for (size_t b = 0; b + 1 < kBuffers; ++b) {
    EXPECT_TRUE(is_there(b)) << b;
    EXPECT_EQ(machine.contents(buffers[b]), Words(kWords, static_cast<cl_uint>(10 * b + 2))) << b;
  }
  EXPECT_EQ(machine.contents(buffers[kBuffers - 1]), Words(kWords, 10 * (kBuffers - 1) + 1));
}

TEST_F(Evictions, OnlyBytesThatNoOtherPlaceHasAreMoved) {
  machine.contents(buffers[0]);  // in the program's memory, not in a host copy of ours
  evict(kBytes);
  machine.run();
  const uint64_t moved = eviction_traffic().downloaded_bytes;
  increment(1);
  evict(kBytes);
  machine.run();
  EXPECT_EQ(eviction_traffic().downloaded_bytes - moved, kBytes);
  EXPECT_EQ(machine.contents(buffers[0]), Words(kWords, 1));
}

}  // namespace
}  // namespace samcl
