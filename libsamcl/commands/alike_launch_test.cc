// Launches on devices that are alike and compute in one memory, where samcl itself decides what runs in parts, and
// which parts devices may take over from each other.
#include <gmock/gmock.h>

#include <cstdlib>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_TRANSPORT", "shared", 1) == 0 && setenv("SAMCL_SPLIT", "auto", 1) == 0;

using testing::KernelPtr;

constexpr uint64_t kMs = 1'000'000;

struct AlikeDevices : ::testing::Test, testing::CountingBuffer {
  AlikeDevices() : CountingBuffer({0, 0}) {}
  // Known to take that long in one piece.
  KernelPtr tripling(const char* name, uint64_t ns) {
    const KernelPtr kernel = CountingBuffer::tripling(testing::in_place(name));
    if (ns > 0) kernel->cost_model->times.took(kItems, ns);
    return kernel;
  }
  void launch(const KernelPtr& kernel) {
    CountingBuffer::launch(kernel);
    EXPECT_EQ(contents(), tripled());
  }
};

TEST_F(AlikeDevices, RunOneOfUnknownTimeWhole) {
  const KernelPtr kernel = tripling("of_unknown_time", 0);
  launch(kernel);
  EXPECT_EQ(kernel->record.split_launches, 0u);
}

TEST_F(AlikeDevices, TakeOverFromEachOtherOfALongLaunch) {
  const KernelPtr kernel = tripling("long", 100 * kMs);
  launch(kernel);
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_GT(kernel->record.taken_over_groups, 0u) << "the simulated device that ends first has run all there is";
}

TEST_F(AlikeDevices, RunWhatThePlanGivesThemOfAShortLaunch) {
  const KernelPtr kernel = tripling("short", 2 * kMs);
  launch(kernel);
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_EQ(kernel->record.taken_over_groups, 0u);
}

TEST_F(AlikeDevices, WhosePartsEndAtOnceRunThemInOnePiece) {
  const KernelPtr kernel = tripling("even", 100 * kMs);
  constexpr uint64_t kEven[] = {50 * kMs, 50 * kMs};
  while (!kernel->cost_model->even_ends.are_expected()) kernel->cost_model->even_ends.took(kEven);
  launch(kernel);
  EXPECT_EQ(kernel->record.split_launches, 1u);
  EXPECT_EQ(kernel->record.taken_over_groups, 0u);
}

// That takes its own time, which is kept. A launch of which nothing is found out leaves it as it was.
TEST_F(AlikeDevices, FindOutSeldomWhatPartsCostWhereTheyDoNotPay) {
  const KernelPtr kernel = tripling("judged_seldom", 60'000);
  Judging& judging = kernel->cost_model->judging;
  judging.took(50'000);
  judging.found(Judging::Found::parts_cost_more);
  launch(kernel);
  EXPECT_EQ(judging.ns(), 50'000u);
  EXPECT_EQ(kernel->record.split_launches, 0u);
}

TEST_F(AlikeDevices, FindOutForEachLaunchWhatPartsCostWhileTheyPay) {
  const KernelPtr kernel = tripling("judged_often", 60'000);
  Judging& judging = kernel->cost_model->judging;
  judging.took(50'000'000);
  judging.found(Judging::Found::parts_cost_less);
  launch(kernel);
  EXPECT_LT(judging.ns(), 50'000'000u);
}

}  // namespace
}  // namespace samcl
