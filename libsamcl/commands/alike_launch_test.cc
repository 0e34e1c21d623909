// Launches on devices that are alike and compute in one memory, where samcl itself decides what runs in parts, and
// which parts devices may take over from each other.
#include <gmock/gmock.h>

#include <cstdlib>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_TRANSPORT", "shared", 1) == 0 && setenv("SAMCL_SPLIT", "auto", 1) == 0;

using testing::counting;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 4096;
constexpr uint64_t kMs = 1'000'000;
using Arguments = std::vector<std::span<cl_uint>>;

struct AlikeDevices : ::testing::Test {
  SimulatedMachine machine{2};
  const testing::QueuePtr queue = machine.in_order_queue();
  const BufferPtr buffer = machine.buffer(kItems);

  AlikeDevices() {
    machine.write(queue, buffer, 0, counting(kItems, 1));
    machine.run();
  }
  // Known to take that long in one piece.
  KernelPtr tripling(const char* name, uint64_t ns) {
    const KernelPtr kernel =
        machine.kernel(Translated(name).updates().footprint(Footprints().element(0, Footprints::adds)),
                       [](size_t i, const Arguments& a) { a[0][i] *= 3; });
    if (ns > 0) kernel->cost_model->times.took(kItems, ns);
    return kernel;
  }
  void launch(const KernelPtr& kernel) {
    machine.launch(queue, kernel, {buffer}, kItems);
    machine.run();
    Words expected = counting(kItems, 1);
    for (cl_uint& word : expected) word *= 3;
    EXPECT_EQ(machine.contents(buffer), expected);
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
