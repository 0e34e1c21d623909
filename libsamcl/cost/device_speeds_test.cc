#include "libsamcl/cost/device_speeds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "contract/ndrange.h"

namespace samcl {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr std::array<unsigned, 2> kBoth{0, 1};

// Devices that have begun.
struct Speeds : DeviceSpeeds {
  Speeds() {
    for (unsigned device : kBoth) took(device, 1, 1'000'000'000);
  }
};

TEST(DeviceSpeeds, AreTakenToBeEqualUntilEachIsKnown) {
  Speeds speeds;
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(1, 1)) << "a first launch tells nothing";
  speeds.took(0, 1000, 10);
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(1, 1));
  EXPECT_EQ(speeds.relative(1, 0), 1);
}

TEST(DeviceSpeeds, WantTimesUntilThoseAreAsPredictedAndAgainWhenTheyAreNot) {
  Speeds speeds;
  EXPECT_FALSE(speeds.are_known(kBoth));
  const auto wanted = [&] {
    int count = 0;
    for (int launch = 0; launch < 320; ++launch) count += speeds.wants_times();
    return count;
  };
  speeds.took(0, 1000, 1000);
  EXPECT_FALSE(speeds.are_known(kBoth));
  speeds.took(1, 1000, 9000);
  EXPECT_TRUE(speeds.are_known(kBoth));
  EXPECT_EQ(wanted(), 320);
  const auto run = [&](uint64_t ns_of_second) {
    for (int launch = 0; launch < 20; ++launch) {
      speeds.took(0, 1000, 1000, {0, 0, 0.5});
      speeds.took(1, 1000, ns_of_second, {0, 0.5, 1});
    }
  };
  run(1000);
  EXPECT_EQ(wanted(), 10) << "the first time was not as the others";
  speeds.took(1, 1000, 1500, {0, 0.5, 1});
  EXPECT_EQ(wanted(), 320);
  run(1500);
  EXPECT_EQ(wanted(), 10);
}

TEST(DeviceSpeeds, GiveSharesInProportion) {
  Speeds speeds;
  speeds.took(0, 1000, 1000);
  speeds.took(1, 1000, 250);
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(DoubleNear(0.2, 1e-9), DoubleNear(0.8, 1e-9)));
  EXPECT_THAT(speeds.shares(std::array{1u, 0u}), ElementsAre(DoubleNear(0.8, 1e-9), DoubleNear(0.2, 1e-9)))
      << "in the order of the devices that are asked for";
  EXPECT_EQ(speeds.relative(1, 0), 4);
}

TEST(DeviceSpeeds, LeaveSomethingToAVerySlowDevice) {
  Speeds speeds;
  speeds.took(0, 1000, 1000);
  speeds.took(1, 1000, 1'000'000);
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(DoubleNear(64.0 / 65, 1e-9), DoubleNear(1.0 / 65, 1e-9)));
}

TEST(DeviceSpeeds, SmallChangesLeaveTheSharesAsTheyAre) {
  Speeds speeds;
  speeds.took(0, 1000, 1000);
  speeds.took(1, 1000, 1000);
  const auto before = speeds.shares(kBoth);
  speeds.took(1, 1000, 950);
  EXPECT_EQ(speeds.shares(kBoth), before);
  speeds.took(1, 1000, 500);
  EXPECT_NE(speeds.shares(kBoth), before);
}

// A slow device that had the places with most of the work the first time is thought to be slower still, so that it
// seems to be no loss that it is idle for half of the time.
TEST(DeviceSpeeds, WhatIsIdleForLongIsGivenMoreNowAndThen) {
  Speeds speeds;
  speeds.took(0, 500, 50'000);
  speeds.took(1, 500, 500);
  const std::vector<double> first = speeds.shares(kBoth);
  const auto measure = [&](const std::vector<double>& shares) {
    const double cut = shares[0] / (shares[0] + shares[1]);
    speeds.took(0, static_cast<uint64_t>(cut * 1000), static_cast<uint64_t>(cut * 1000 * 20), {0, 0, cut});
    speeds.took(1, static_cast<uint64_t>((1 - cut) * 1000), static_cast<uint64_t>((1 - cut) * 1000), {0, cut, 1});
  };
  int launches = 0;
  for (measure(first); launches < 100 && speeds.shares(kBoth) == first; ++launches) measure(first);
  EXPECT_GE(launches, static_cast<int>(DeviceSpeeds::kPatience) - 1);
  EXPECT_LT(launches, 20);
  EXPECT_GT(speeds.shares(kBoth)[0], first[0]);
}

// How much of a kernel's work lies before a place of its NDRange, both from 0 to 1.
using WorkAt = std::function<double(double)>;
double even(double place) { return place; }

struct Throttled {
  std::vector<double> items_per_ns;  // by device, where the work is even
  double begin_ns = 0;               // of each launch, on each device
  double noise = 0;                  // a device takes so much more or less
};

// How near the launches after the first few come to all devices' speeds together: what the whole would take if all
// ended at once, in what it takes. work: of each launch.
double balance(const Throttled& machine, const std::function<WorkAt(int)>& work) {
  DeviceSpeeds speeds;
  const auto& rates = machine.items_per_ns;
  std::vector<unsigned> devices(rates.size());
  std::iota(devices.begin(), devices.end(), 0);
  const Ndrange ndrange{1, {0, 0, 0}, {1 << 20, 1, 1}, {64, 1, 1}};
  const double all_items = static_cast<double>(ndrange.global[0]), groups = static_cast<double>(ndrange.groups(0));
  const double ideal = all_items / std::accumulate(rates.begin(), rates.end(), 0.0);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> factor(1 - machine.noise, 1 + machine.noise);
  double took = 0;
  constexpr int kFirst = 8, kLaunches = 50;
  for (int launch = 0; launch < kLaunches; ++launch) {
    const WorkAt before = work(launch);
    double longest = 0;
    for (const Part& part : split(ndrange, speeds.shares(devices))) {
      const double begin = static_cast<double>(part.box.first[0]), count = static_cast<double>(part.box.count[0]);
      const double items = all_items * (before((begin + count) / groups) - before(begin / groups));
      const double ns = machine.begin_ns + items / rates[part.device] * factor(random);
      speeds.took(devices[part.device], part.box.total() * 64, static_cast<uint64_t>(ns),
                  {0, begin / groups, (begin + count) / groups});
      longest = std::max(longest, ns);
    }
    if (launch >= kFirst) took += longest;
  }
  return ideal * (kLaunches - kFirst) / took;
}
double balance(const Throttled& machine, const WorkAt& work = even) {
  return balance(machine, [&](int) { return work; });
}

TEST(DeviceSpeeds, BalanceThrottledDevices) {
  EXPECT_GT(balance({{1, 4}}), 0.99);
  EXPECT_GT(balance({{1, 4}, 2000, 0.05}), 0.93);
  EXPECT_GT(balance({{0.5, 1, 7}, 2000, 0.05}), 0.93);
  EXPECT_GT(balance({{1, 1}, 2000, 0.05}), 0.93);
}

// Work that grows with the index, as of rows of a triangle; of which three quarters lie in a tenth of the NDRange; and
// in waves.
double triangle(double place) { return place * place; }
double lump(double place) { return 0.25 * place + 0.75 * std::clamp((place - 0.6) / 0.1, 0.0, 1.0); }
double waves(double place) { return place + 0.15 * std::sin(6 * 3.14159265 * place) / (6 * 3.14159265) * 6; }

// Noise alone takes 5 % where four devices must end at once; most of a lump's work is in 26 of 256 places.
TEST(DeviceSpeeds, BalanceIrregularKernelsThatComeAgain) {
  for (const WorkAt& work : {WorkAt(triangle), WorkAt(waves)}) {
    EXPECT_GT(balance({{1, 1}, 2000, 0.05}, work), 0.96);
    EXPECT_GT(balance({{4, 1}, 2000, 0.05}, work), 0.96);
    EXPECT_GT(balance({{0.5, 1, 7}, 2000, 0.05}, work), 0.93);
    EXPECT_GT(balance({{1, 1, 1, 1}, 2000, 0.05}, work), 0.93);
  }
  EXPECT_GT(balance({{1, 1}, 2000, 0.05}, lump), 0.93);
  EXPECT_GT(balance({{1, 4}, 2000, 0.05}, lump), 0.93);
  EXPECT_GT(balance({{4, 1}, 2000, 0.05}, lump), 0.93);
  EXPECT_GT(balance({{0.5, 1, 7}, 2000, 0.05}, lump), 0.88);
  EXPECT_GT(balance({{1, 1, 1, 1}, 2000, 0.05}, lump), 0.86);
}

TEST(DeviceSpeeds, FollowWorkThatWanders) {
  const auto wandering = [](int launch) {
    return [launch](double place) {
      const double begin = 0.1 + 0.01 * launch;
      return 0.5 * place + 0.5 * std::clamp((place - begin) / 0.2, 0.0, 1.0);
    };
  };
  EXPECT_GT(balance({{1, 1}, 2000, 0.05}, wandering), 0.9);
  EXPECT_GT(balance({{1, 4}, 2000, 0.05}, wandering), 0.85);
}

TEST(DeviceSpeeds, KnowEachDimensionsWorkByItself) {
  Speeds speeds;
  for (int launch = 0; launch < 20; ++launch) {
    speeds.took(0, 500, 100, {0, 0, 0.5});
    speeds.took(1, 500, 300, {0, 0.5, 1});
    speeds.took(0, 500, 200, {1, 0, 0.5});
    speeds.took(1, 500, 200, {1, 0.5, 1});
  }
  const auto across = speeds.shares(kBoth, 0), along = speeds.shares(kBoth, 1);
  EXPECT_GT(across[0], 0.6) << "three times as much lies in the second half";
  EXPECT_NEAR(along[0], 0.5, 0.05);
}

}  // namespace
}  // namespace samcl
