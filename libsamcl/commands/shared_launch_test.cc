// Launches on devices that are not alike and compute in one memory: what one has not begun another may run.
#include <gmock/gmock.h>

#include <cstdlib>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_TRANSPORT", "shared", 1) == 0;

using testing::CountingBuffer;
using testing::Footprints;
using testing::in_place;
using testing::KernelPtr;

uint64_t taken_over(const KernelPtr& kernel) { return kernel->record.taken_over_groups; }

// The simulated device that ends first has run all there is by then.
TEST(UnlikeDevices, EachItemRunsOnce) {
  CountingBuffer on({0, 1, 2});
  const KernelPtr kernel = on.tripling(in_place("each_item_once"));
  on.launch(kernel);
  EXPECT_EQ(on.contents(), CountingBuffer::tripled());
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_GT(taken_over(kernel), 0u);
}

TEST(UnlikeDevices, SoItIsWithAnUnknownFootprint) {
  CountingBuffer on({0, 1});
  const KernelPtr kernel =
      on.tripling(testing::Translated("anywhere").updates().footprint(Footprints().anywhere(0, Footprints::may_write)));
  on.launch(kernel);
  EXPECT_EQ(on.contents(), CountingBuffer::tripled());
  EXPECT_GT(taken_over(kernel), 0u);
}

// Also where only bytes of the part are used that has ended.
struct AfterUnlikeDevices : ::testing::TestWithParam<size_t> {};

TEST_P(AfterUnlikeDevices, WhatUsesOnePartWaitsForAll) {
  CountingBuffer on({0, 1});
  const KernelPtr kernel = on.tripling(in_place("waited_for"));
  on.launch(kernel);
  const auto reading = on.machine.read(on.queue, on.buffer, GetParam(), 16);
  ASSERT_EQ(on.machine.backend.running(), 2u) << "the parts";
  on.machine.backend.step(on.machine.graph);
  EXPECT_EQ(on.machine.backend.running(), 1u) << "the other part alone";
  on.machine.run();
  EXPECT_EQ((*reading.words)[0], 3 * (GetParam() + 1));
}
INSTANTIATE_TEST_SUITE_P(AtBothEnds, AfterUnlikeDevices, ::testing::Values(0, CountingBuffer::kItems - 16));

TEST(UnlikeDevices, APieceThatTheDriverRefusesFailsTheLaunchAndNoOther) {
  CountingBuffer on({0, 1});
  const KernelPtr kernel = on.tripling(in_place("refused"));
  on.machine.driver.fail(testing::Call::launch, CL_INVALID_WORK_GROUP_SIZE, 1, 2);
  const testing::EventPtr failed = on.launch(kernel);
  on.machine.run();
  EXPECT_EQ(failed->status(), CL_INVALID_WORK_GROUP_SIZE);
  on.write();
  on.launch(kernel);
  EXPECT_EQ(on.contents(), CountingBuffer::tripled());
}

TEST(UnlikeDevices, WhatMayNotRunInPiecesIsNotShared) {
  CountingBuffer on({0, 1});
  KernelTranslation translation = in_place("in_no_pieces");
  translation.may_slice = false;
  const KernelPtr kernel = on.tripling(translation);
  on.launch(kernel);
  EXPECT_EQ(on.contents(), CountingBuffer::tripled());
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_EQ(taken_over(kernel), 0u);
}

TEST(UnlikeDevices, AlikeOnesRunWhatThePlanGivesThem) {
  CountingBuffer on({0, 0});
  const KernelPtr kernel = on.tripling(in_place("alike"));
  on.launch(kernel);
  EXPECT_EQ(on.contents(), CountingBuffer::tripled());
  EXPECT_EQ(taken_over(kernel), 0u);
}

}  // namespace
}  // namespace samcl
