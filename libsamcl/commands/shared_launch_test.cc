// Launches on devices that are not alike and compute in one memory: what one has not begun another may run.
#include <gmock/gmock.h>

#include <cstdlib>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_TRANSPORT", "shared", 1) == 0;

using testing::counting;
using testing::EventPtr;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 4096;
using Arguments = std::vector<std::span<cl_uint>>;

class UnlikeDevices : public ::testing::Test {
 protected:
  void make(std::vector<unsigned> kinds) {
    const auto devices = static_cast<unsigned>(kinds.size());
    machine = std::make_unique<SimulatedMachine>(devices, nullptr, std::move(kinds));
    queue = machine->in_order_queue();
    buffer = machine->buffer(kItems);
    machine->write(queue, buffer, 0, counting(kItems, 1));
    machine->run();
  }
  // Runs each item once: what ran twice is 9 times as much.
  KernelPtr tripling(const char* name, const Footprints& footprint, bool may_slice = true) {
    KernelTranslation translation = Translated(name).updates().footprint(footprint);
    translation.may_slice = may_slice;
    return machine->kernel(translation, [](size_t i, const Arguments& a) { a[0][i] *= 3; });
  }
  static Footprints own_item() { return Footprints().element(0, Footprints::adds); }
  void expect_tripled() {
    Words expected = counting(kItems, 1);
    for (cl_uint& word : expected) word *= 3;
    EXPECT_EQ(machine->contents(buffer), expected);
  }
  static uint64_t taken_over(const KernelPtr& kernel) { return kernel->record.taken_over_groups; }

  std::unique_ptr<SimulatedMachine> machine;
  testing::QueuePtr queue;
  BufferPtr buffer;
};

// The simulated device that ends first has run all there is by then.
TEST_F(UnlikeDevices, EachItemRunsOnce) {
  make({0, 1, 2});
  const KernelPtr kernel = tripling("each_item_once", own_item());
  machine->launch(queue, kernel, {buffer}, kItems);
  expect_tripled();
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_GT(taken_over(kernel), 0u);
}

TEST_F(UnlikeDevices, SoItIsWithAnUnknownFootprint) {
  make({0, 1});
  const KernelPtr kernel = tripling("anywhere", Footprints().anywhere(0, Footprints::may_write));
  machine->launch(queue, kernel, {buffer}, kItems);
  expect_tripled();
  EXPECT_GT(taken_over(kernel), 0u);
}

// Also where only bytes of the part are used that has ended.
class AfterUnlikeDevices : public UnlikeDevices, public ::testing::WithParamInterface<size_t> {};

TEST_P(AfterUnlikeDevices, WhatUsesOnePartWaitsForAll) {
  make({0, 1});
  const KernelPtr kernel = tripling("waited_for", own_item());
  machine->launch(queue, kernel, {buffer}, kItems);
  const auto reading = machine->read(queue, buffer, GetParam(), 16);
  ASSERT_EQ(machine->backend.running(), 2u) << "the parts";
  machine->backend.step(machine->graph);
  EXPECT_EQ(machine->backend.running(), 1u) << "the other part alone";
  machine->run();
  EXPECT_EQ((*reading.words)[0], 3 * (GetParam() + 1));
}
INSTANTIATE_TEST_SUITE_P(AtBothEnds, AfterUnlikeDevices, ::testing::Values(0, kItems - 16));

TEST_F(UnlikeDevices, APieceThatTheDriverRefusesFailsTheLaunchAndNoOther) {
  make({0, 1});
  const KernelPtr kernel = tripling("refused", own_item());
  machine->driver.fail(testing::Call::launch, CL_INVALID_WORK_GROUP_SIZE, 1, 2);
  const EventPtr failed = machine->launch(queue, kernel, {buffer}, kItems);
  machine->run();
  EXPECT_EQ(failed->status(), CL_INVALID_WORK_GROUP_SIZE);
  machine->write(queue, buffer, 0, counting(kItems, 1));
  machine->launch(queue, kernel, {buffer}, kItems);
  expect_tripled();
}

TEST_F(UnlikeDevices, WhatMayNotRunInPiecesIsNotShared) {
  make({0, 1});
  const KernelPtr kernel = tripling("in_no_pieces", own_item(), false);
  machine->launch(queue, kernel, {buffer}, kItems);
  expect_tripled();
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_EQ(taken_over(kernel), 0u);
}

TEST_F(UnlikeDevices, AlikeOnesRunWhatThePlanGivesThem) {
  make({0, 0});
  const KernelPtr kernel = tripling("alike", own_item());
  machine->launch(queue, kernel, {buffer}, kItems);
  expect_tripled();
  EXPECT_EQ(taken_over(kernel), 0u);
}

}  // namespace
}  // namespace samcl
