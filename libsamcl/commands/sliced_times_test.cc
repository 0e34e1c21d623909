// What is learned of how long a kernel takes where a manager has had its first launch run in slices: in virtual time.
#include <gmock/gmock.h>

#include "libsamcl/device/run_ahead.h"
#include "libsamcl/program/kernel.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

struct SlicedTimes : ::testing::Test {
  static constexpr size_t kItems = 16'384;
  static void SetUpTestSuite() { setenv("SAMCL_SPLIT", "auto", 1); }
  SlicedTimes() {
    manager.choose_all(2);
    machine.driver.ns_per_item = [this](const testing::KernelCall& call) {
      return std::max<uint64_t>(least_ns / call.size[0], item_ns);
    };
    machine.write(queue, buffer, 0, testing::counting(kItems));
  }
  uint64_t expected_after(unsigned launches) {
    for (unsigned i = 0; i < launches; ++i) {
      machine.launch(queue, kernel, {buffer}, kItems);
      machine.run();
    }
    return kernel->cost_model->times.expect(kItems).whole;
  }

  testing::FakeManager manager;
  testing::SimulatedMachine machine{2, &manager};
  const testing::QueuePtr queue = machine.in_order_queue();
  const BufferPtr buffer = machine.buffer(kItems);
  const testing::KernelPtr kernel = machine.kernel(testing::in_place("sliced"), testing::triple);
  uint64_t least_ns = 0, item_ns = 0;  // of each command, and of a work-item
};

// Each slice takes as long as the whole would.
TEST_F(SlicedTimes, OfShortKernelsAreThoseOfOnePiece) {
  least_ns = 16'384;
  EXPECT_LT(expected_after(1), 3 * least_ns);
  EXPECT_GT(kernel->record.slices, 3u);
}

TEST_F(SlicedTimes, OfLongKernelsAreThoseOfAllSlices) {
  item_ns = 1'000;
  EXPECT_NEAR(static_cast<double>(expected_after(1)), 1e3 * kItems, 1e2 * kItems);
}

// 16 ms.
TEST_F(SlicedTimes, AreLongerWhileNoOtherProgramIsConnected) {
  item_ns = 1'000;
  machine.driver.ns_per_item = [this](const testing::KernelCall&) {
    EXPECT_EQ(manager.is_far, manager.alone);
    return item_ns;
  };
  manager.alone = true;
  const uint64_t before = kernel->record.slices;
  expected_after(1);
  EXPECT_LE(kernel->record.slices - before, 8u);
  EXPECT_FALSE(manager.is_far);
}

TEST_F(SlicedTimes, AreShortAgainWhenAnotherProgramConnects) {
  item_ns = 1'000;
  uint64_t calls = 0, longest = 0;
  machine.driver.ns_per_item = [&](const testing::KernelCall& call) {
    manager.alone = ++calls < 3;
    if (calls > 4) longest = std::max(longest, call.size[0] * item_ns);
    return item_ns;
  };
  expected_after(1);
  EXPECT_GT(calls, 4u);
  EXPECT_GT(longest, 0u);
  EXPECT_LE(longest, RunAhead::kSliceNs);
  EXPECT_FALSE(manager.is_far);
}

}  // namespace
}  // namespace samcl
