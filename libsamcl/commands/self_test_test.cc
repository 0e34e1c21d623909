// Launches on devices that are not alike, one of which may differ in a last bit: what they leave, and where they ran.
#include "libsamcl/commands/self_test.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_MIX", "exact", 1) == 0;

using testing::Call;
using ::testing::ElementsAre;
using testing::EventPtr;
using testing::Footprints;
using ::testing::IsEmpty;
using testing::KernelCall;
using testing::KernelFunction;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 1 << 13;  // more than a test takes

// a[i] = 3 * a[i] + 1, with the last bit of what `other` says another, on that device alone.
struct Differing {
  unsigned device;
  cl_uint from;  // items from that value on
};
KernelFunction triple(Differing differing = {99, 0}) {
  return [differing](const KernelCall& call) {
    const auto words = call.arguments[0];
    auto* a = reinterpret_cast<cl_uint*>(words.data());
    for (size_t i = call.offset[0]; i < call.offset[0] + call.size[0]; ++i) {
      const bool differs = call.device == differing.device && a[i] >= differing.from;
      a[i] = (3 * a[i] + 1) ^ (differs ? 1u : 0u);
    }
  };
}
Words tripled(Words words, int times = 1) {
  for (cl_uint& word : words)
    for (int i = 0; i < times; ++i) word = 3 * word + 1;
  return words;
}

struct UnlikeDevices : ::testing::Test {
  explicit UnlikeDevices(std::vector<unsigned> kinds = {0, 1}, lease::Client* manager = nullptr)
      : machine(static_cast<unsigned>(kinds.size()), manager, kinds) {
    machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
      if (std::holds_alternative<engine::RunKernel>(node.operation)) at_work.insert(node.lane.device);
      return perform(node);
    };
  }
  ~UnlikeDevices() override {
    machine.run();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  SimulatedMachine machine;
  std::set<unsigned> at_work;  // devices on which kernels ran, tests included
  const testing::QueuePtr queue = machine.in_order_queue();
  const BufferPtr a = machine.buffer(kItems);
  const Words initial = [] {
    Words words(kItems);
    std::iota(words.begin(), words.end(), 0u);
    return words;
  }();

  KernelPtr kernel(const std::string& name, const KernelFunction& run) {
    return machine.kernel(Translated(name).updates().footprint(Footprints().element(0, Footprints::adds)), run);
  }
  KernelPtr of_unknown_writes(const std::string& name, const KernelFunction& run) {
    return machine.kernel(Translated(name).updates().footprint(Footprints().anywhere(0, Footprints::may_write)), run);
  }
  // One after the other; which devices the last one ran on.
  std::set<unsigned> launch(const KernelPtr& with, int times) { return launch(with, times, initial); }
  std::set<unsigned> launch(const KernelPtr& with, int times, const Words& on) {
    machine.write(queue, a, 0, on);
    for (int i = 0; i < times; ++i) {
      machine.run();
      at_work.clear();
      const EventPtr event = machine.launch(queue, with, {a}, kItems);
      machine.run();
      EXPECT_EQ(event->status(), CL_COMPLETE);
    }
    return at_work;
  }
};

TEST_F(UnlikeDevices, ThatGiveTheSameBytesAreJoinedAfterTests) {
  const KernelPtr same = kernel("same", triple());
  launch(same, 3);
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
  EXPECT_EQ(same->record.self_tests, 2u);
  EXPECT_EQ(same->record.split_launches, 1u) << "the third";
  EXPECT_THAT(same->record.apart(), IsEmpty());
}

TEST_F(UnlikeDevices, ThatDifferInALastBitAreNeverJoined) {
  const KernelPtr differs = kernel("differs", triple({1, 0}));
  EXPECT_THAT(launch(differs, 9), ElementsAre(0));
  EXPECT_EQ(machine.contents(a), tripled(initial, 9));
  EXPECT_EQ(differs->record.self_tests, 1u) << "one difference is enough";
  EXPECT_EQ(differs->record.split_launches, 0u);
  EXPECT_THAT(differs->record.apart(), ElementsAre("fake"));
  EXPECT_EQ(differs->record.reason(), kOtherBytes);
}

TEST_F(UnlikeDevices, AnotherKernelOfTheProgramIsJoinedNevertheless) {
  const KernelPtr differs = kernel("differs_too", triple({1, 0})), same = kernel("same_too", triple());
  launch(differs, 3);
  EXPECT_THAT(launch(same, 3), ElementsAre(0, 1));
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
}

TEST_F(UnlikeDevices, LaterInputThatTellsThemApartEndsJoining) {
  // The 8th launch, which is tested, is the first to find such values.
  const KernelPtr differs = kernel("differs_later", triple({1, tripled({0}, 7)[0]}));
  EXPECT_THAT(launch(differs, 9, Words(kItems, 0)), ElementsAre(0));
  EXPECT_EQ(machine.contents(a), tripled(Words(kItems, 0), 9));
  EXPECT_THAT(differs->record.apart(), ElementsAre("fake"));
  EXPECT_EQ(differs->record.split_launches, 4u) << "3rd, 5th, 6th and 7th";
}

TEST_F(UnlikeDevices, WhatTheyMayHaveWrittenAnywhereIsCompared) {
  const KernelPtr same = of_unknown_writes("anywhere_same", triple());
  const KernelPtr differs = of_unknown_writes("anywhere_differs", triple({1, 0}));
  EXPECT_THAT(launch(differs, 3), ElementsAre(0));
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
  EXPECT_THAT(launch(same, 3), ElementsAre(0, 1));
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
}

TEST_F(UnlikeDevices, UndefinedBytesAreTheSameForAll) {
  const BufferPtr out = machine.buffer(2 * kItems);
  const KernelPtr writes =
      machine.kernel(Translated("writes_half").writes().footprint(Footprints().anywhere(0, Footprints::may_write)),
                     [](const KernelCall& call) {
                       auto* words = reinterpret_cast<cl_uint*>(call.arguments[0].data());
                       for (size_t i = call.offset[0]; i < call.offset[0] + call.size[0]; ++i) words[2 * i] = 7;
                     });
  for (int i = 0; i < 3; ++i) {
    machine.launch(queue, writes, {out}, kItems);
    machine.run();
  }
  EXPECT_EQ(writes->record.split_launches, 1u);
}

TEST_F(UnlikeDevices, PartsOfBuffersAreTestedAsWhatTheyAre) {
  const KernelPtr same = kernel("part_same", triple());
  const BufferPtr part = machine.part(a, 1024, 4096);
  machine.write(queue, a, 0, initial);
  for (int i = 0; i < 3; ++i) {
    machine.launch(queue, same, {part}, 4096);
    machine.run();
  }
  Words expected = initial;
  for (size_t i = 1024; i < 1024 + 4096; ++i) expected[i] = tripled({initial[i]}, 3)[0];
  EXPECT_EQ(machine.contents(a), expected);
  EXPECT_EQ(same->record.self_tests, 2u);
  EXPECT_EQ(same->record.split_launches, 1u);
}

TEST_F(UnlikeDevices, ADeviceThatRefusesTheTestTakesNothingFromTheProgram) {
  machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
    const bool is_kernel = std::holds_alternative<engine::RunKernel>(node.operation);
    if (is_kernel && node.lane.device == 1) machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES);
    return perform(node);
  };
  const KernelPtr same = kernel("refused", triple());
  launch(same, 3);  // and each of them ends well
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
  EXPECT_EQ(same->record.split_launches, 0u);
  EXPECT_THAT(same->record.apart(), IsEmpty()) << "nothing was found";
}

TEST_F(UnlikeDevices, LaunchesEnqueuedTogetherRunOnTheFirstKindUntilATestHasEnded) {
  const KernelPtr differs = kernel("together", triple({1, 0}));
  machine.write(queue, a, 0, initial);
  for (int i = 0; i < 12; ++i) machine.launch(queue, differs, {a}, kItems);
  EXPECT_EQ(machine.contents(a), tripled(initial, 12));
  EXPECT_EQ(differs->record.split_launches, 0u);
}

struct ThreeDevices : UnlikeDevices {
  ThreeDevices() : UnlikeDevices({0, 1, 0}) {}
};
TEST_F(ThreeDevices, OfTheFirstKindGoOnWithoutTheOneThatDiffers) {
  const KernelPtr differs = kernel("one_of_three", triple({1, 0}));
  EXPECT_THAT(launch(differs, 2), ElementsAre(0, 2));
  EXPECT_EQ(machine.contents(a), tripled(initial, 2));
  EXPECT_THAT(differs->record.apart(), ElementsAre("fake"));
}

struct ThreeKinds : UnlikeDevices {
  ThreeKinds() : UnlikeDevices({0, 1, 2}) {}
};
TEST_F(ThreeKinds, OneThatDiffersDoesNotKeepTheOtherApart) {
  const KernelPtr differs = kernel("one_of_kinds", triple({2, 0}));
  EXPECT_THAT(launch(differs, 3), ElementsAre(0, 1));
  EXPECT_EQ(machine.contents(a), tripled(initial, 3));
}

}  // namespace
}  // namespace samcl
