#include "analysis/locking/own_processor.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace samcl::analysis::locking {
namespace {

using ::testing::ElementsAre;

std::vector<Time> tardiness(const std::vector<WholeTask>& tasks) {
  return own_processor_tardiness(tasks).value_or(std::vector<Time>{});
}

TEST(OwnProcessor, JobsAreLateByWhatHasBegunBeforeThem) {
  EXPECT_THAT(tardiness({{10, 2}, {30, 5}}), ElementsAre(0, 0)) << "2 + 5 are no more than 10";
  EXPECT_THAT(tardiness({{10, 2}, {30, 9}}), ElementsAre(1, 0));
  EXPECT_THAT(tardiness({{10, 4}, {12, 4}, {30, 8}}), ElementsAre(4, 4, 0)) << "from 12 on: 8 + 4 + 4 - 12";
}

// Elliott & Anderson's example (2012): its container's five tasks of 3 + 2 each and periods of 30.
TEST(OwnProcessor, PapersContainerIsNeverLate) {
  EXPECT_THAT(tardiness(std::vector<WholeTask>(5, {30, 5})), ElementsAre(0, 0, 0, 0, 0));
}

TEST(OwnProcessor, FullIsEnoughAndMoreIsNot) {
  EXPECT_THAT(tardiness({{10, 5}, {20, 10}}), ElementsAre(5, 0));
  EXPECT_FALSE(own_processor_tardiness(std::vector<WholeTask>{{10, 5}, {20, 11}}));
}

TEST(OwnProcessor, ManyStepsAreBoundedByTheLongestJob) {
  EXPECT_THAT(tardiness({{10, 1}, {Time{1} << 40, 70}}), ElementsAre(70, 0));
}

// Releases that are `period` apart or more; nothing is late by more than that, and often by as much.
TEST(OwnProcessor, NoJobIsLaterInAnySchedule) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto up_to = [&](Time most) { return std::uniform_int_distribution<Time>(0, most)(random); };
  int attained = 0, bounds = 0;
  for (int set = 0; set < 3000; ++set) {
    std::vector<WholeTask> tasks;
    for (Time n = 2 + up_to(2); n > 0; --n) {
      const Time period = 3 + up_to(20);
      tasks.push_back({period, 1 + up_to(period / 2)});
    }
    const auto bound = own_processor_tardiness(tasks);
    if (!bound) continue;
    std::vector<Time> latest(tasks.size(), 0), next(tasks.size());
    for (int run = 0; run < 30; ++run) {
      const Time start = up_to(10);
      for (Time& time : next) time = start + (up_to(2) == 0 ? up_to(30) : 1);
      next[static_cast<size_t>(up_to(static_cast<Time>(tasks.size()) - 1))] = start;  // alone, before the others
      Time now = 0;
      for (int job = 0; job < 60; ++job) {
        now = std::max(now, *std::min_element(next.begin(), next.end()));
        size_t chosen = tasks.size();
        for (size_t i = 0; i < tasks.size(); ++i)
          if (next[i] <= now &&
              (chosen == tasks.size() || next[i] + tasks[i].period < next[chosen] + tasks[chosen].period))
            chosen = i;
        now += tasks[chosen].cost;
        latest[chosen] = std::max(latest[chosen], now - next[chosen] - tasks[chosen].period);
        next[chosen] += tasks[chosen].period + (up_to(3) == 0 ? up_to(5) : 0);
      }
    }
    for (size_t i = 0; i < tasks.size(); ++i) {
      ASSERT_LE(latest[i], (*bound)[i]) << "set " << set << ", task " << i;
      bounds += (*bound)[i] > 0;
      attained += (*bound)[i] > 0 && latest[i] >= (*bound)[i] - 1;
    }
  }
  EXPECT_GT(attained, bounds / 3) << "but for the 1 ns that what is under way has been so for";
}

}  // namespace
}  // namespace samcl::analysis::locking
