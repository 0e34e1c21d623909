// Work in a window, and how long it keeps elements busy, beside every phase and every length tried.
#include "analysis/rta/phased_work.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(PhasedWork(task, 15).most(Resource::gpu), 20) << "both, one after the other";
  EXPECT_EQ(PhasedWork(task, 25).most(Resource::gpu), 20);
  EXPECT_EQ(PhasedWork(task, 30).most(Resource::gpu), 20) << "the next job's begin 20 before the first one's end";
  EXPECT_EQ(PhasedWork(task, 15).most(Resource::cpu), 0);
}

int64_t most_of_every_phase(const TimedTask& task, Time window, int64_t cpu, int64_t gpu) {
  int64_t most = 0;
  for (Time phase = 0; phase <= task.response(); ++phase) {
    int64_t sum = 0;
    for (const TimedStage& stage : task.stages)
      for (Time release = -phase; release < window; release += task.period) {
        const Time end = release < 0 ? release + stage.end : stage.worst;
        const Time executed = std::min({stage.worst, end, window - release - stage.earliest});
        sum += std::max<Time>(0, executed) * (stage.resource == Resource::cpu ? cpu : gpu);
      }
    most = std::max(most, sum);
  }
  return most;
}

TEST(PhasedWork, IsTheMostOfEveryPhase) {
  const TestSeed seed;
  Draw draw(seed);
  for (int n = 0; n < 1000; ++n) {
    TimedTask task;
    Time earliest = 0, end = 0;
    for (int64_t stages = draw.whole(1, 4); stages > 0; --stages) {
      TimedStage stage;
      stage.resource = draw.chance(0.5) ? Resource::cpu : Resource::gpu;
      stage.worst = draw.whole(1, 9);
      stage.earliest = earliest;
      stage.end = end += stage.worst + draw.whole(0, 6);
      earliest += draw.whole(0, stage.worst);
      task.stages.push_back(stage);
    }
    task.period = end + draw.whole(0, 20);
    const Time window = draw.whole(1, 120);
    const PhasedWork work(task, window);
    EXPECT_EQ(work.most(Resource::cpu), most_of_every_phase(task, window, 1, 0));
    EXPECT_EQ(work.most(Resource::gpu), most_of_every_phase(task, window, 0, 1));
    EXPECT_EQ(static_cast<int64_t>(work.most({2, 0, 3})), most_of_every_phase(task, window, 2, 3));
  }
}

}  // namespace
}  // namespace samcl::analysis
