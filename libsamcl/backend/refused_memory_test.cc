// A driver that has no memory left while a program launches, by whichever thread: what others do not use is given back,
// what they do is waited for, and the launch goes on.
#include <gmock/gmock.h>

#include <deque>
#include <random>
#include <thread>

#include "base/test_seed.h"
#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/commands/launch.h"
#include "libsamcl/objects/eviction.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Call;
using testing::Footprints;
using testing::Translated;
using testing::Words;

constexpr size_t kWords = 256, kBytes = kWords * sizeof(cl_uint), kBuffers = 8, kFit = 4;

// One device, which a manager grants and which works by itself, as the real backend drives it; its memory holds four of
// eight buffers.
struct RefusedMemory : ::testing::Test {
  testing::FakeManager manager;
  testing::SimulatedMachine machine{1, &manager};
  const testing::QueuePtr queue = machine.in_order_queue();
  std::vector<BufferPtr> buffers;
  std::vector<testing::KernelPtr> incrementing;  // each its buffer
  std::vector<testing::EventPtr> launches;

  ~RefusedMemory() override {
    machine.driver.resume();
    for (const auto& launch : launches) launch->wait();
    // What the last one held is let go of by the thread that told of its end, and the manager told of that.
    EXPECT_TRUE(machine.context->devices[0]->drain(10'000));
    EXPECT_EQ(machine.driver.misuses(), 0);
  }
  // Arguments are set while there is memory: the driver looks at them.
  void SetUp() override {
    for (cl_uint b = 0; b < kBuffers; ++b) {
      buffers.push_back(machine.buffer(kWords));
      incrementing.push_back(incrementing_of(buffers[b]));
      words_.push_back(Words(kWords, 10 * b));
      const Words& words = words_.back();
      submit(write_buffer(buffers[b], 0, kBytes, words.data()))->wait();
    }
    submit(eviction(0, kBuffers * kBytes))->wait();
    ASSERT_EQ(machine.driver.live_buffers(), 0);
    machine.driver.memory = kFit * kBytes;
  }
  // While nothing runs: the driver's list of kernels changes.
  testing::KernelPtr new_kernel() {
    return machine.kernel(Translated("increment").updates().footprint(Footprints().element(0, Footprints::adds)),
                          [](size_t i, const std::vector<std::span<cl_uint>>& arguments) { ++arguments[0][i]; });
  }
  static void set_argument(const testing::KernelPtr& kernel, const BufferPtr& buffer, cl_int expected = CL_SUCCESS) {
    const cl_mem handle = buffer->api();
    EXPECT_EQ(kernel->set_argument(0, sizeof handle, &handle), expected);
  }
  testing::KernelPtr incrementing_of(const BufferPtr& buffer) {
    auto kernel = new_kernel();
    set_argument(kernel, buffer);
    return kernel;
  }
  testing::EventPtr submit(CommandPtr command) {
    auto event = Event::make_shared(machine.context, queue, CL_COMMAND_NDRANGE_KERNEL);
    machine.context->graph.submit(event, std::move(command), {}, Order::ordinary);
    return event;
  }
  testing::EventPtr increment(size_t b) {
    LaunchRequest request{incrementing[b], incrementing[b]->arguments(), {}, true, {}};
    request.ndrange.global[0] = kWords;
    request.ndrange.local[0] = 16;
    launches.push_back(submit(std::make_shared<KernelLaunch>(std::move(request), *machine.context)));
    return launches.back();
  }
  // So that the first of them are there, and how long they take is known.
  void use_first() {
    for (size_t b = 0; b < kFit; ++b) increment(b)->wait();
    ASSERT_EQ(machine.driver.live_buffers(), static_cast<int>(kFit));
  }
  void expect_all_well() const {
    for (size_t i = 0; i < launches.size(); ++i) EXPECT_EQ(launches[i]->wait(), CL_COMPLETE) << i;
  }
  Words contents(const BufferPtr& buffer) {
    Words words(kWords, 0xdeadbeef);
    EXPECT_EQ(submit(read_buffer(buffer, 0, kBytes, words.data()))->wait(), CL_COMPLETE);
    return words;
  }

 private:
  std::deque<Words> words_;
};

// There and back: what is there is used first, and by nothing planned behind what is not.
TEST_F(RefusedMemory, MoreBuffersThanFitAreUsedInTurn) {
  for (int round = 0; round < 20; ++round) {
    for (size_t b = 0; b < kBuffers; ++b) increment(round % 2 ? b : kBuffers - 1 - b);
    expect_all_well();
    launches.clear();
  }
  for (cl_uint b = 0; b < kBuffers; ++b) EXPECT_EQ(contents(buffers[b]), Words(kWords, 10 * b + 20)) << b;
}

TEST_F(RefusedMemory, WhatCommandsInFlightUseIsWaitedFor) {
  use_first();
  machine.driver.suspend();
  for (size_t b = 0; b <= kFit; ++b) increment(b);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(launches.back()->ended()) << "all that is there is in use";
  machine.driver.resume();
  expect_all_well();
  EXPECT_EQ(contents(buffers[0]), Words(kWords, 2));
  EXPECT_EQ(contents(buffers[kFit]), Words(kWords, 10 * kFit + 1));
}

// What they compute with comes back: of each buffer all launches are there, in their order.
TEST_F(RefusedMemory, WhereAllThatIsThereIsUsedByWhatIsPlannedBehindItIsSetAside) {
  use_first();
  machine.driver.suspend();
  increment(0);
  for (const size_t b : {kFit, size_t{1}, size_t{2}, size_t{3}, size_t{0}, kFit + 1, kFit, size_t{1}}) increment(b);
  machine.driver.resume();
  expect_all_well();
  EXPECT_EQ(contents(buffers[0]), Words(kWords, 3));
  EXPECT_EQ(contents(buffers[1]), Words(kWords, 10 + 3));
  EXPECT_EQ(contents(buffers[2]), Words(kWords, 20 + 2));
  EXPECT_EQ(contents(buffers[kFit]), Words(kWords, 10 * kFit + 2));
  EXPECT_EQ(contents(buffers[kFit + 1]), Words(kWords, 10 * (kFit + 1) + 1));
}

TEST_F(RefusedMemory, ManyCommandsThatNeedMoreThanFitsRunInAnyOrder) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  std::vector<cl_uint> expected;
  for (cl_uint b = 0; b < kBuffers; ++b) expected.push_back(10 * b);
  for (int round = 0; round < 30; ++round) {
    machine.driver.suspend();
    for (int i = 0; i < 20; ++i) {
      const size_t b = random() % kBuffers;
      increment(b);
      ++expected[b];
    }
    machine.driver.resume();
    expect_all_well();
    launches.clear();
  }
  for (size_t b = 0; b < kBuffers; ++b) EXPECT_EQ(contents(buffers[b]), Words(kWords, expected[b])) << b;
}

TEST_F(RefusedMemory, AnArgumentIsWaitedForLikewise) {
  const testing::KernelPtr another = new_kernel();
  use_first();
  machine.driver.suspend();
  for (size_t b = 0; b < kFit; ++b) increment(b);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    machine.driver.resume();
  });
  set_argument(another, machine.buffer(kWords));
  ends.join();
  expect_all_well();
}

TEST_F(RefusedMemory, ALaunchThatTheDriverRefusesRunsOnce) {
  use_first();
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 2);
  increment(0);
  increment(0);
  expect_all_well();
  EXPECT_EQ(machine.driver.live_buffers(), static_cast<int>(kFit) - 2) << "one for each refusal";
  EXPECT_EQ(contents(buffers[0]), Words(kWords, 3));
}

TEST_F(RefusedMemory, WhereThereIsNothingLeftToGiveTheDriversWordStands) {
  use_first();
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  EXPECT_EQ(increment(0)->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  launches.clear();
  increment(kFit);
  expect_all_well();
  EXPECT_EQ(contents(buffers[1]), Words(kWords, 11));
  EXPECT_EQ(contents(buffers[kFit]), Words(kWords, 10 * kFit + 1));
}

TEST_F(RefusedMemory, AnArgumentThatFitsNowhereIsRefused) {
  const testing::KernelPtr another = new_kernel();
  increment(0);
  set_argument(another, machine.buffer((kFit + 1) * kWords), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  expect_all_well();
}

}  // namespace
}  // namespace samcl
