// Work in a window, and how long it keeps elements busy, beside every phase and every length tried.
#include "analysis/rta/phased_work.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "analysis/generator/draw.h"
#include "analysis/rta/job_window.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

TEST(LongestBusy, IsNothingForFewerPartiesThanElements) {
  const std::vector<Share> three = {{1, 1000}, {1, 5}, {1, 70}};
  EXPECT_EQ(longest_busy(4, three), 0);
  EXPECT_EQ(longest_busy(3, three), 5);
  EXPECT_EQ(longest_busy(2, three), 75) << "70 and 5 beside 75 of the first";
  EXPECT_EQ(longest_busy(1, three), 1075);
}

TEST(LongestBusy, IsTheLongestThatSatisfiesTheInequality) {
  const TestSeed seed;
  Draw draw(seed);
  for (int n = 0; n < 2000; ++n) {
    std::vector<Share> shares(static_cast<size_t>(draw.whole(0, 5)));
    for (Share& share : shares) share = {draw.whole(0, 4), draw.whole(0, 30)};
    const int64_t elements = draw.whole(1, 5);
    int64_t longest = 0;
    for (int64_t busy = 0; busy <= 200; ++busy) {
      int64_t sum = 0;
      for (const Share& share : shares) sum += std::min(share.elements * busy, share.work);
      if (elements * busy <= sum) longest = busy;
    }
    EXPECT_GE(longest_busy(elements, shares), longest);
    EXPECT_LE(longest_busy(elements, shares), longest + 1) << "rounded only";
  }
}

// The first job's second kernel, or the next one's first, but not both with all their time.
TEST(PhasedWork, CountsStagesOfOneJobWhereTheyCanBe) {
  TimedTask task{50, {}};
  TimedStage first{Resource::gpu, 10, 10, 1, true, 0, 0, 12}, second{Resource::gpu, 10, 10, 1, true, 5, 12, 30};
  task.stages = {first, second};
  EXPECT_EQ(PhasedWork(task, 15).most(Resource::gpu), 15) << "one after the other";
  EXPECT_EQ(PhasedWork(task, 25).most(Resource::gpu), 20);
  EXPECT_EQ(PhasedWork(task, 30).most(Resource::gpu), 20) << "the next job's begin 20 before the first one's end";
  EXPECT_EQ(PhasedWork(task, 36).most(Resource::gpu), 20);
  EXPECT_EQ(PhasedWork(task, 45).most(Resource::gpu), 25) << "10 before 10, or 5 of the second before 20";
  EXPECT_EQ(PhasedWork(task, 15).most(Resource::cpu), 0);
}

// A transfer of 10 before a kernel of 10 in a window of 15: on each by itself 10 of either, on both 15.
TEST(PhasedWork, IsOnOneResourceAtATime) {
  TimedTask task{50, {}};
  task.stages = {{Resource::link, 10, 10, 1, true, 0, 0, 10}, {Resource::gpu, 10, 10, 1, true, 0, 10, 20}};
  const PhasedWork work(task, 15);
  EXPECT_EQ(work.most(Resource::link), 10);
  EXPECT_EQ(work.most(Resource::gpu), 10);
  EXPECT_EQ(static_cast<int64_t>(work.most({0, 1, 1})), 15);
  EXPECT_EQ(static_cast<int64_t>(work.most({0, 3, 1})), 3 * 10 + 5);
}

// Tick by tick: each job is at its first stage that is not over and can have begun.
int64_t executed(const TimedTask& task, Time window, Time phase, Resources resources) {
  int64_t sum = 0;
  for (Time release = -phase; release < window; release += task.period) {
    size_t stage = 0;
    Time left = task.stages[0].worst;
    for (Time tick = std::max<Time>(release, 0); tick < window && stage < task.stages.size(); ++tick) {
      const auto over = [&] {
        const TimedStage& now = task.stages[stage];
        return left == 0 || (resources & only(now.resource)) == 0 || tick - release >= now.end;
      };
      while (stage < task.stages.size() && over())
        if (++stage < task.stages.size()) left = task.stages[stage].worst;
      if (stage == task.stages.size() || tick - release < task.stages[stage].earliest) continue;
      --left;
      ++sum;
    }
  }
  return sum;
}

int64_t most_of_every_phase(const TimedTask& task, Time window, int64_t cpu, int64_t gpu) {
  int64_t most = 0;
  const Resources heavier = only(cpu > gpu ? Resource::cpu : Resource::gpu);
  for (Time phase = 0; phase <= task.response(); ++phase)
    most = std::max(most, std::min(cpu, gpu) * executed(task, window, phase, kAllResources) +
                              std::abs(cpu - gpu) * executed(task, window, phase, heavier));
  return most;
}

TimedTask random_task(Draw& draw, std::span<const Resource> resources) {
  TimedTask task;
  Time earliest = 0, end = 0;
  for (int64_t stages = draw.whole(1, 4); stages > 0; --stages) {
    TimedStage stage;
    stage.resource = resources[static_cast<size_t>(draw.whole(0, static_cast<int64_t>(resources.size()) - 1))];
    stage.worst = draw.whole(1, 9);
    stage.earliest = earliest;
    stage.end = end += stage.worst + draw.whole(0, 6);
    earliest += draw.whole(0, stage.worst);
    task.stages.push_back(stage);
  }
  task.period = end + draw.whole(0, 20);
  return task;
}

TEST(PhasedWork, IsTheMostOfEveryPhase) {
  const TestSeed seed;
  Draw draw(seed);
  for (int n = 0; n < 1000; ++n) {
    const TimedTask task = random_task(draw, std::array{Resource::cpu, Resource::gpu});
    const Time window = draw.whole(1, 120);
    const PhasedWork work(task, window);
    EXPECT_EQ(work.most(Resource::cpu), most_of_every_phase(task, window, 1, 0));
    EXPECT_EQ(work.most(Resource::gpu), most_of_every_phase(task, window, 0, 1));
    EXPECT_EQ(static_cast<int64_t>(work.most({2, 0, 3})), most_of_every_phase(task, window, 2, 3));
  }
}

// On all resources together it is no more than on each by itself, and in one phase no more than in the worst.
TEST(PhasedWork, IsNoMoreTogetherThanApart) {
  const TestSeed seed;
  Draw draw(seed);
  int less = 0;
  for (int n = 0; n < 1000; ++n) {
    const TimedTask task = random_task(draw, kResources);
    const PhasedWork work(task, draw.whole(1, 120));
    std::array<PhasedWork::Wide, 3> weight{};
    int64_t apart = 0;
    for (const Resource resource : kResources) {
      const int64_t drawn = draw.whole(0, 5);
      weight[at(resource)] = drawn;
      apart += drawn * work.most(resource);
    }
    const auto together = static_cast<int64_t>(work.most(weight));
    EXPECT_LE(together, apart);
    EXPECT_LE(static_cast<int64_t>(work.some(weight)), together);
    less += together < apart ? 1 : 0;
  }
  EXPECT_GT(less, 100);
}

}  // namespace
}  // namespace samcl::analysis
