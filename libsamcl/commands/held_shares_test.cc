// How much of a launch the other devices get whose parts all use one device's memory, where splitting is left to the
// runtime: little, until it is known what that takes them. In virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::KernelCall;
using testing::SimulatedMachine;

const bool kSettings = setenv("SAMCL_SPLIT", "auto", 1) == 0 && setenv("SAMCL_TRANSPORT", "peer", 1) == 0;

constexpr size_t kItems = 16'384;
constexpr uint64_t kItemNs = 200;

// By launch, how long the device that was busy longest was, of what one device takes for all. begin_ns: what each part
// takes the other device besides.
std::vector<double> longest(const std::string& name, const std::function<uint64_t(int launch)>& far_item_ns,
                            int launches, uint64_t begin_ns = 0) {
  if (!kSettings) std::abort();
  SimulatedMachine machine(2);
  std::vector<double> busy(2);
  int launch = 0;
  machine.driver.ns_per_item = [&](const KernelCall& call) {
    const uint64_t ns = call.device == 0 ? kItemNs : far_item_ns(launch) + begin_ns / call.size[0];
    busy[call.device] += static_cast<double>(ns * call.size[0]);
    return ns;
  };
  const testing::KernelPtr kernel = machine.kernel(testing::writes_anywhere(name), testing::scatter);
  const BufferPtr buffer = machine.buffer(kItems);
  const testing::QueuePtr queue = machine.in_order_queue();
  std::vector<double> found;
  for (; launch < launches; ++launch) {
    busy.assign(2, 0);
    machine.launch(queue, kernel, {buffer}, kItems);
    machine.run();
    found.push_back(*std::ranges::max_element(busy) / static_cast<double>(kItemNs * kItems));
  }
  return found;
}

std::function<uint64_t(int)> always(uint64_t ns) {
  return [ns](int) { return ns; };
}

TEST(HeldShares, BecomeEvenWhereTheOthersTakeNoLonger) {
  const std::vector<double> found = longest("near", always(kItemNs), 20);
  EXPECT_EQ(found[0], 1) << "nothing is known";
  EXPECT_EQ(found[2], 1) << "less might have been gained than it takes to try";
  EXPECT_NEAR(found[3], 0.94, 0.02);
  EXPECT_LT(*std::ranges::max_element(found), 1.001);
  EXPECT_NEAR(found.back(), 0.5, 0.02);
}

TEST(HeldShares, BecomeEvenAlsoWhereLittleIsMostlyBeginning) {
  const std::vector<double> found = longest("begins", always(kItemNs), 40, kItems * kItemNs / 8);
  EXPECT_LT(*std::ranges::max_element(found), 1.001);
  EXPECT_NEAR(found.back(), 0.56, 0.03) << "both end at once";
}

// As of a GPU that was idle, and whose mappings are made when they are used first.
TEST(HeldShares, BecomeEvenAlsoWhereTheFirstTimesSayLittle) {
  const auto far_item_ns = [](int launch) { return launch < 6 ? 12 * kItemNs : kItemNs; };
  const std::vector<double> found = longest("warms", far_item_ns, 60);
  EXPECT_LT(*std::ranges::max_element(found), 1.05);
  EXPECT_NEAR(found.back(), 0.5, 0.03);
}

TEST(HeldShares, LoseNothingWhereTheOthersTakeMuchLonger) {
  for (const uint64_t times : {2, 3, 8, 15}) {
    const std::vector<double> found = longest("far" + std::to_string(times), always(times * kItemNs), 40);
    EXPECT_LT(*std::ranges::max_element(found), 1.05) << times;
    const auto far = static_cast<double>(times);
    EXPECT_LT(found.back(), far / (far + 1) + 0.05) << times;
  }
}

TEST(HeldShares, StayWholeWhereTheOthersTakeLongerStill) {
  const std::vector<double> found = longest("farthest", always(60 * kItemNs), 60);
  EXPECT_LT(*std::ranges::max_element(found), 4) << "the first time";
  EXPECT_LE(std::ranges::count_if(found, [](double of_whole) { return of_whole > 1.01; }), 4);
}

}  // namespace
}  // namespace samcl
