// On how many of several devices launches run in parts, where that is left to the runtime: in virtual time.
#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::KernelCall;
using testing::SimulatedMachine;
using testing::Words;

struct NarrowLaunches : ::testing::Test {
  static constexpr size_t kItems = 16'384;
  static void SetUpTestSuite() { setenv("SAMCL_SPLIT", "auto", 1); }
  NarrowLaunches() {
    machine.driver.ns_per_item = [this](const KernelCall& call) {
      used.insert(call.device);
      return item_ns;
    };
    machine.write(queue, buffers[0], 0, now);
  }
  testing::KernelPtr stencil(const std::string& name) {
    return machine.kernel(testing::stencil(name), testing::sum_of_neighbours);
  }
  // A stencil's step on two buffers in turn, which takes so long on one device.
  void step(const testing::KernelPtr& kernel, uint64_t whole_ns) {
    item_ns = whole_ns / kItems;
    machine.launch(queue, kernel, {buffers[steps % 2], buffers[1 - steps % 2]}, kItems);
    machine.run();
    Words next(kItems);
    for (size_t i = 0; i < kItems; ++i) testing::sum_of_neighbours(i, {std::span(now), std::span(next)});
    now = std::move(next);
    ++steps;
  }
  // Devices that the last ones of so many steps use.
  std::set<unsigned> used_by(int count, uint64_t whole_ns) {
    const testing::KernelPtr kernel = stencil("takes " + std::to_string(whole_ns));
    for (int i = 0; i + 10 < count; ++i) step(kernel, whole_ns);
    used.clear();
    for (int i = 0; i < 10; ++i) step(kernel, whole_ns);
    return used;
  }

  SimulatedMachine machine{4};
  const testing::QueuePtr queue = machine.in_order_queue();
  const std::array<BufferPtr, 2> buffers{machine.buffer(kItems), machine.buffer(kItems)};
  Words now = testing::counting(kItems);
  size_t steps = 0;
  uint64_t item_ns = 0;
  std::set<unsigned> used;
};

using ::testing::ElementsAre;

TEST_F(NarrowLaunches, LongOnesRunOnAll) {
  EXPECT_THAT(used_by(40, 20'000'000), ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_EQ(machine.contents(buffers[steps % 2]), now);
}

// The host gives the parts of a stencil no faster than its ends are heard of: of four too slow, of two fast enough.
TEST_F(NarrowLaunches, ShortOnesRunOnFewer) {
  EXPECT_THAT(used_by(400, 300'000), ElementsAre(0u, 1u));
  EXPECT_EQ(machine.contents(buffers[steps % 2]), now);
}

TEST_F(NarrowLaunches, VeryShortOnesRunOnOne) {
  EXPECT_THAT(used_by(400, 100'000), ElementsAre(0u));
  EXPECT_EQ(machine.contents(buffers[steps % 2]), now);
}

TEST_F(NarrowLaunches, LongOnesAfterShortOnesRunOnAllAgain) {
  EXPECT_THAT(used_by(400, 300'000), ElementsAre(0u, 1u));
  EXPECT_THAT(used_by(40, 20'000'000), ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_EQ(machine.contents(buffers[steps % 2]), now);
}

}  // namespace
}  // namespace samcl
