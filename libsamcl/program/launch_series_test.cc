#include "libsamcl/program/launch_series.h"

#include <gtest/gtest.h>

#include <cstring>

#include "libsamcl/program/kernel.h"

namespace samcl {
namespace {

// A buffer's place, which does not change, and two integers.
struct Launches : ::testing::Test {
  Arguments arguments{3};
  Ndrange ndrange{2, {}, {64, 64, 1}, {8, 8, 1}};
  const std::vector<uint32_t> may_grow = {1, 2};
  LaunchSeries series;

  template <typename T>
  void set(size_t index, T value) {
    Argument argument;
    argument.set = true;
    argument.size = sizeof value;
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    argument.bytes.assign(bytes, bytes + sizeof value);
    arguments.set(index, std::move(argument));
  }
  std::optional<uint64_t> launch(int32_t first, int64_t second) {
    set(1, first);
    set(2, second);
    return series.observe(arguments, ndrange, true, may_grow);
  }
  void found(uint64_t launches) { series.found(launches, {}, {}); }
};

TEST_F(Launches, AreASeriesWhenTheyGrowTwiceByTheSame) {
  launch(5, 100);
  EXPECT_FALSE(series.is_in_question());
  launch(8, 90);
  EXPECT_FALSE(series.is_in_question());
  launch(11, 80);
  ASSERT_TRUE(series.is_in_question());
  ASSERT_EQ(series.growing().size(), 2u);
  EXPECT_EQ(series.growing()[0].first, 5u);
  EXPECT_EQ(series.growing()[0].step, 3u);
  EXPECT_EQ(series.growing()[1].first, 100u);
  EXPECT_EQ(series.growing()[1].step, static_cast<uint64_t>(-10));
  found(50);
  EXPECT_EQ(series.number(), 2u);
  EXPECT_EQ(launch(14, 70), 3u);
  EXPECT_EQ(launch(5 + 3 * 49, 100 - 10 * 49), 49u) << "some may have been given otherwise";
}

TEST_F(Launches, OfTheNextJobHaveTheSameNumbers) {
  for (int i = 0; i < 3; ++i) launch(i, 2 * i);
  found(50);
  const uint64_t version = series.version();
  EXPECT_EQ(launch(0, 0), 0u);
  EXPECT_EQ(launch(1, 2), 1u);
  EXPECT_EQ(series.version(), version);
}

TEST_F(Launches, BeyondThoseThatAreKnownAreInQuestionAgain) {
  for (int i = 0; i < 3; ++i) launch(i, 2 * i);
  found(4);
  EXPECT_EQ(launch(3, 6), 3u);
  const uint64_t version = series.version();
  EXPECT_EQ(launch(4, 8), std::nullopt);
  EXPECT_NE(series.version(), version);
  ASSERT_TRUE(series.is_in_question());
  EXPECT_EQ(series.growing()[0].first, 4u);
  found(50);
  EXPECT_EQ(series.number(), 0u);
}

TEST_F(Launches, ThatGrowOtherwiseAreNot) {
  for (int i = 0; i < 3; ++i) launch(i, 2 * i);
  found(50);
  EXPECT_EQ(launch(3, 7), std::nullopt);
  EXPECT_FALSE(series.is_in_question());
  for (int i = 0; i < 3; ++i) launch(i, 2 * i);
  found(50);
  EXPECT_EQ(launch(-1, -2), std::nullopt) << "before the first one";
}

TEST_F(Launches, OfOtherArgumentsOrSizesAreNot) {
  for (int i = 0; i < 3; ++i) launch(i, 0);
  found(50);
  set(0, cl_mem{});
  EXPECT_EQ(launch(3, 0), std::nullopt);
  for (int i = 0; i < 3; ++i) launch(i, 0);
  found(50);
  ndrange.global[0] = 128;
  EXPECT_EQ(launch(3, 0), std::nullopt);
}

TEST_F(Launches, OfEverOtherSizesAreLookedAtEverLessOften) {
  int first = 0;
  for (int i = 0; i < 100'000; ++i) {
    ndrange.global[0] = static_cast<uint64_t>(64 + 8 * i);
    const uint64_t before = series.version();
    launch(i, i);
    if (series.version() != before) first += i >= 50'000;
  }
  EXPECT_LE(first, 64);
}

TEST_F(Launches, ThatAreAllAlikeAreNone) {
  for (int i = 0; i < 10; ++i) launch(7, 7);
  EXPECT_FALSE(series.is_in_question());
}

TEST_F(Launches, WrapAroundInTheirSize) {
  launch(INT32_MAX - 1, 0);
  launch(INT32_MAX, 0);
  launch(INT32_MIN, 0);
  ASSERT_TRUE(series.is_in_question());
  found(50);
  EXPECT_EQ(launch(INT32_MIN + 1, 0), 3u);
}

TEST_F(Launches, ThatAreNotIndependentAreAskedAboutEverLessOften) {
  int asked = 0;
  for (int i = 0; i < 10'000; ++i) {
    launch(i, 0);
    if (!series.is_in_question()) continue;
    ++asked;
    found(0);
  }
  EXPECT_GT(asked, 2);
  EXPECT_LT(asked, 8);
}

// What was known of those before them would tell their numbers.
TEST_F(Launches, AreInQuestionOnlyByWhatTheyAreThemselves) {
  for (int i = 0; i < 3; ++i) launch(i, 0);
  found(0);
  for (int i = 0; i < 100; ++i) {
    const int value = 1000 - 7 * i;
    launch(value, 0);
    if (!series.is_in_question()) continue;
    found(50);
    ASSERT_TRUE(series.number());
    const LaunchSeries::Growing& grows = series.growing()[0];
    EXPECT_EQ(static_cast<int>(grows.first + *series.number() * grows.step), value);
    return;
  }
  FAIL() << "were never in question again";
}

}  // namespace
}  // namespace samcl
