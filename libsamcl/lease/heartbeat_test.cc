#include "libsamcl/lease/heartbeat.h"

#include <gtest/gtest.h>

namespace samcl::lease {
namespace {

using namespace std::chrono_literals;

struct HeartbeatTest : ::testing::Test {
  Heartbeat::Clock::time_point now{};
  Heartbeat heartbeat{7, now, 400ms, 100ms};

  bool look_after(Heartbeat::Clock::duration time, uint32_t beats) { return heartbeat.is_alive(beats, now += time); }
};

TEST_F(HeartbeatTest, StandingStillForTheLimitIsTheEnd) {
  EXPECT_TRUE(look_after(100ms, 7));
  EXPECT_TRUE(look_after(100ms, 7));
  EXPECT_TRUE(look_after(100ms, 7));
  EXPECT_FALSE(look_after(100ms, 7));
}

TEST_F(HeartbeatTest, EveryBeatStartsAnew) {
  for (uint32_t beats = 8; beats < 20; ++beats) {
    EXPECT_TRUE(look_after(100ms, beats));
    EXPECT_TRUE(look_after(100ms, beats));
    EXPECT_TRUE(look_after(100ms, beats));
  }
}

TEST_F(HeartbeatTest, CounterMayOverflow) {
  Heartbeat old(UINT32_MAX, now, 400ms, 100ms);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(old.is_alive(UINT32_MAX, now += 100ms));
  EXPECT_TRUE(old.is_alive(0, now += 100ms));
}

// A stopped or swapped-out program looks again after a long time, and cannot know what the daemon did in it.
TEST_F(HeartbeatTest, OurOwnPauseCountsAsOneLook) {
  EXPECT_TRUE(look_after(1h, 7));
  EXPECT_TRUE(look_after(1h, 7));
  EXPECT_TRUE(look_after(1h, 8));
}

TEST_F(HeartbeatTest, LooksThatComeEarlyCountForTheirOwnTime) {
  for (int i = 0; i < 399; ++i) EXPECT_TRUE(look_after(1ms, 7));
  EXPECT_FALSE(look_after(1ms, 7));
}

}  // namespace
}  // namespace samcl::lease
