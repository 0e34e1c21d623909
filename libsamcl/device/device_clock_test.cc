#include "libsamcl/device/device_clock.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

TEST(LearnedClock, IsNoneUntilSomethingIsLearned) {
  LearnedClock clock;
  clock.set(0);
  EXPECT_FALSE(clock.present());
  EXPECT_TRUE(clock.is_wrong());
  clock.learn(1000, 5000);
  EXPECT_FALSE(clock.present()) << "it does not count yet";
  clock.set(4000);
  ASSERT_TRUE(clock.present());
  EXPECT_EQ(clock.present()->ahead_ns, 4000);
  EXPECT_EQ(clock.present()->not_before_ns, 4000u);
}

TEST(LearnedClock, EndsThatAreHeardOfLateDoNotCount) {
  LearnedClock clock;
  clock.learn(1000, 5000);
  clock.learn(2000, 9000);
  clock.set(0);
  EXPECT_EQ(clock.present()->ahead_ns, 4000);
  clock.learn(3000, 6500);
  clock.set(0);
  EXPECT_EQ(clock.present()->ahead_ns, 3500) << "nor did the first one";
}

TEST(LearnedClock, FollowsAClockThatDrifts) {
  LearnedClock clock;
  clock.learn(0, 0);
  clock.set(0);
  clock.learn(100'000 * kMillisecond, 100'005 * kMillisecond);
  EXPECT_TRUE(clock.is_wrong()) << "by 5 ms after 100 s";
  EXPECT_EQ(clock.present()->ahead_ns, 0) << "but no two times are told by different ones";
  clock.set(0);
  EXPECT_EQ(clock.present()->ahead_ns, static_cast<int64_t>(5 * kMillisecond));
  EXPECT_FALSE(clock.is_wrong());
  clock.learn(100'100 * kMillisecond, 100'125 * kMillisecond);
  clock.set(0);
  EXPECT_LT(clock.present()->ahead_ns, static_cast<int64_t>(6 * kMillisecond)) << "20 ms in 0.1 s is no drift";
}

}  // namespace
}  // namespace samcl
