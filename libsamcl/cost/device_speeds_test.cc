#include "libsamcl/cost/device_speeds.h"

#include <gmock/gmock.h>

#include <array>
#include <numeric>
#include <random>

#include "contract/ndrange.h"

namespace samcl {
namespace {

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

TEST(DeviceSpeeds, GiveSharesInProportion) {
  Speeds speeds;
  speeds.took(0, 1000, 1000);
  speeds.took(1, 1000, 250);
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(1, 4));
  EXPECT_THAT(speeds.shares(std::array{1u, 0u}), ElementsAre(4, 1)) << "in the order of the devices that are asked for";
  EXPECT_EQ(speeds.relative(1, 0), 4);
}

TEST(DeviceSpeeds, LeaveSomethingToAVerySlowDevice) {
  Speeds speeds;
  speeds.took(0, 1000, 1000);
  speeds.took(1, 1000, 1'000'000);
  EXPECT_THAT(speeds.shares(kBoth), ElementsAre(1, 1.0 / 64));
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

// Devices that compute at these speeds, each with so much to begin with. How near the launches after the first few come
// to all devices' speeds together.
double balance(const std::vector<double>& items_per_ns, double begin_ns, double noise) {
  DeviceSpeeds speeds;
  std::vector<unsigned> devices(items_per_ns.size());
  std::iota(devices.begin(), devices.end(), 0);
  const Ndrange ndrange{1, {0, 0, 0}, {1 << 20, 1, 1}, {64, 1, 1}};
  const double ideal =
      static_cast<double>(ndrange.global[0]) / std::accumulate(items_per_ns.begin(), items_per_ns.end(), 0.0);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  double took = 0;
  constexpr int kFirst = 4, kLaunches = 50;
  for (int launch = 0; launch < kLaunches; ++launch) {
    double longest = 0;
    for (const Part& part : split(ndrange, speeds.shares(devices))) {
      const double items = static_cast<double>(part.box.total() * 64);
      const double ns = begin_ns + items / items_per_ns[part.device] * factor(random);
      speeds.took(devices[part.device], static_cast<uint64_t>(items), static_cast<uint64_t>(ns));
      longest = std::max(longest, ns);
    }
    if (launch >= kFirst) took += longest;
  }
  return ideal * (kLaunches - kFirst) / took;
}

TEST(DeviceSpeeds, BalanceThrottledDevices) {
  EXPECT_GT(balance({1, 4}, 0, 0), 0.99);
  EXPECT_GT(balance({1, 4}, 2000, 0.05), 0.93);
  EXPECT_GT(balance({0.5, 1, 7}, 2000, 0.05), 0.93);
  EXPECT_GT(balance({1, 1}, 2000, 0.05), 0.93);
}

}  // namespace
}  // namespace samcl
