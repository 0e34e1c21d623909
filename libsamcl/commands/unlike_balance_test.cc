// How evenly launches keep devices busy that are not alike, where each runs what the plan gives it and takes nothing
// over: in virtual time, with noise.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::Arguments;
using testing::KernelCall;
using testing::SimulatedMachine;

constexpr size_t kItems = 16'384;

// ns that an item takes on a device of speed 1.
using Work = std::function<double(size_t item)>;

struct Devices {
  std::vector<double> speeds;
  std::vector<unsigned> kinds() const {
    std::vector<unsigned> each(speeds.size());
    std::iota(each.begin(), each.end(), 0);
    return each;
  }
};

// The mean time that devices are busy in the longest one, of launches after the first few.
double balance(const std::string& name, const Devices& devices, const Work& work) {
  constexpr int kFirst = 10, kLaunches = 50;
  constexpr double kNoise = 0.03;  // a part takes so much more or less
  std::mt19937_64 random(15);
  std::uniform_real_distribution<double> noise(1 - kNoise, 1 + kNoise);
  SimulatedMachine machine(static_cast<unsigned>(devices.speeds.size()), nullptr, devices.kinds());
  std::vector<double> busy(devices.speeds.size());
  machine.driver.ns_per_item = [&](const KernelCall& call) {
    double ns = 0;
    for (size_t item = call.offset[0]; item < call.offset[0] + call.size[0]; ++item) ns += work(item);
    ns *= noise(random) / devices.speeds[call.device];
    busy[call.device] += ns;
    return static_cast<uint64_t>(ns / static_cast<double>(call.size[0]));
  };
  KernelTranslation translation = testing::in_place(name);
  translation.may_slice = false;
  const testing::KernelPtr kernel = machine.kernel(translation, testing::triple);
  const BufferPtr buffer = machine.buffer(kItems);
  const testing::QueuePtr queue = machine.in_order_queue();
  machine.write(queue, buffer, 0, testing::counting(kItems));
  double sum = 0;
  for (int launch = 0; launch < kLaunches; ++launch) {
    busy.assign(busy.size(), 0);
    machine.launch(queue, kernel, {buffer}, kItems);
    machine.run();
    const double all = std::accumulate(busy.begin(), busy.end(), 0.0), mean = all / static_cast<double>(busy.size());
    if (launch >= kFirst) sum += mean / *std::ranges::max_element(busy);
  }
  EXPECT_EQ(kernel->record.split_launches, static_cast<uint64_t>(kLaunches));
  return sum / (kLaunches - kFirst);
}

struct UnlikeDevices : ::testing::TestWithParam<std::pair<std::string, Devices>> {
  double balance(const std::string& kernel, const Work& work) const {
    const double found = samcl::balance(kernel + GetParam().first, GetParam().second, work);
    RecordProperty(kernel, std::to_string(found));
    return found;
  }
};

// HGuided of EngineCL comes to 0.89.
constexpr double kWanted = 0.93;

TEST_P(UnlikeDevices, AreBusyForEquallyLong) {
  EXPECT_GT(balance("even", [](size_t) { return 1000.0; }), kWanted);
}

TEST_P(UnlikeDevices, AreBusyForEquallyLongWhereWorkGrows) {
  EXPECT_GT(balance("grows", [](size_t item) { return 1 + static_cast<double>(item) / 4; }), kWanted);
  EXPECT_GT(balance("shrinks", [](size_t item) { return 1 + static_cast<double>(kItems - item) / 4; }), kWanted);
}

TEST_P(UnlikeDevices, AreBusyForEquallyLongWhereWorkIsRandom) {
  std::mt19937_64 random(7);
  std::vector<double> works(kItems);
  for (double& work : works)
    work = static_cast<double>(random() % 100 == 0 ? 50'000 + random() % 50'000 : random() % 1000);
  EXPECT_GT(balance("random", [&](size_t item) { return works[item]; }), kWanted);
}

// Most of it in a tenth of the work-groups.
TEST_P(UnlikeDevices, AreBusyForEquallyLongWhereWorkIsInOnePlace) {
  EXPECT_GT(balance("lump", [](size_t item) { return item * 10 / kItems == 6 ? 30'000.0 : 1'000.0; }), kWanted);
}

INSTANTIATE_TEST_SUITE_P(Throttled, UnlikeDevices,
                         ::testing::Values(std::pair{"fast_slow", Devices{{4, 1}}},
                                           std::pair{"slow_fast", Devices{{1, 4}}}, std::pair{"alike", Devices{{1, 1}}},
                                           std::pair{"three", Devices{{0.5, 1, 7}}},
                                           std::pair{"four", Devices{{1, 1, 1, 1}}}),
                         [](const auto& test) { return test.param.first; });

}  // namespace
}  // namespace samcl
