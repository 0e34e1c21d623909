#include "sam-manager/protocol/words.h"

#include <gtest/gtest.h>

#include <memory>

namespace samcl::protocol {
namespace {

constexpr uint64_t kMs = 1'000'000;

struct JobTimesTest : ::testing::Test {
  std::unique_ptr<ClientPage> page = std::make_unique<ClientPage>();
  JobTimes& jobs = page->jobs;
  bool was_building = false;

  // Jobs may be early by a sixteenth of the period, if nothing else is said.
  void task(uint64_t deadline_ms, uint64_t period_ms, uint64_t budget_ms, uint64_t early_ms = 0) {
    const uint64_t early_ns = early_ms > 0 ? early_ms * kMs : period_ms * kMs / 16;
    page->assignment.write({"camera", 9, 1, {0}, deadline_ms * kMs, period_ms * kMs, budget_ms * kMs, early_ns});
  }
  void job(uint64_t begin_ms, uint64_t end_ms, uint64_t waited_ms = 0) {
    jobs.begin(begin_ms * kMs);
    jobs.add((end_ms - begin_ms) * kMs, waited_ms * kMs, was_building, end_ms * kMs, page->assignment);
  }
};

TEST_F(JobTimesTest, PeriodicJobsAreNeitherEarlyNorLong) {
  task(30, 40, 20);
  for (uint64_t begin = 1000; begin < 2000; begin += 40) job(begin, begin + 25, 5);
  EXPECT_EQ(jobs.count, 25u);
  EXPECT_EQ(jobs.early, 0u);
  EXPECT_EQ(jobs.long_jobs, 0u);
  EXPECT_EQ(jobs.misses, 0u);
}

TEST_F(JobTimesTest, OfJobsThatComeTwiceAsFastEveryOtherIsEarly) {
  task(30, 40, 0);
  for (uint64_t begin = 1000; begin < 2000; begin += 20) job(begin, begin + 5);
  EXPECT_EQ(jobs.early, 25u);
}

TEST_F(JobTimesTest, LateWakingMakesNoJobEarly) {
  task(30, 40, 0);
  for (const uint64_t begin : {1000, 1042, 1080, 1121, 1160}) job(begin, begin + 5);
  EXPECT_EQ(jobs.early, 0u) << "a sixteenth of the period is allowed for";
  job(1190, 1195);
  EXPECT_EQ(jobs.early, 1u);
}

TEST_F(JobTimesTest, JobsThatWaitForACpuBeforeTheyBeginMakeNoOtherEarlyWithinWhatIsTold) {
  task(30, 40, 0, 12);
  for (const uint64_t begin : {1012, 1040, 1080, 1125, 1172, 1200}) job(begin, begin + 5);
  EXPECT_EQ(jobs.early, 0u);
  job(1239, 1244);
  EXPECT_EQ(jobs.early, 1u) << "40 after 1212 but for 12";
}

TEST_F(JobTimesTest, JobThatBeganLateMakesNoOtherEarlyOnceLessIsTold) {
  task(30, 40, 0, 12);
  job(1012, 1017);
  task(30, 40, 0, 3);
  for (uint64_t begin = 1040; begin < 2000; begin += 40) job(begin, begin + 5);
  EXPECT_EQ(jobs.early, 0u);
  job(1999, 2000);
  EXPECT_EQ(jobs.early, 1u);
}

TEST_F(JobTimesTest, JobsOfAShorterPeriodThanBeforeAreNotEarly) {
  task(30, 400, 0);
  job(1000, 1005);
  task(30, 40, 0);
  for (uint64_t begin = 1040; begin < 2000; begin += 40) job(begin, begin + 5);
  EXPECT_EQ(jobs.early, 0u);
  job(1990, 1995);
  EXPECT_EQ(jobs.early, 1u);
}

TEST_F(JobTimesTest, LongIsWhatExecutesBeyondTheBudgetNotWhatWaits) {
  task(100, 200, 20);
  job(1000, 1050, 31);
  EXPECT_EQ(jobs.long_jobs, 0u);
  job(1200, 1250, 29);
  EXPECT_EQ(jobs.long_jobs, 1u);
  job(1400, 1405, 50);
  EXPECT_EQ(jobs.long_jobs, 1u) << "several threads waited at once";
}

TEST_F(JobTimesTest, ItBuildsUntilAJobHasEndedInWhichNothingWas) {
  EXPECT_TRUE(jobs.is_building()) << "no job was seen";
  job(1000, 1010);
  EXPECT_FALSE(jobs.is_building());
  ++jobs.builds;  // between jobs
  EXPECT_TRUE(jobs.is_building());
  jobs.begin(1200 * kMs);
  EXPECT_TRUE(jobs.is_building());
  ++jobs.builds;  // in one that ended before anybody saw it
  jobs.add(10 * kMs, 0, false, 1210 * kMs, page->assignment);
  EXPECT_TRUE(jobs.is_building()) << "that began later than the job";
  job(1400, 1410);
  EXPECT_FALSE(jobs.is_building());
}

TEST_F(JobTimesTest, JobsInWhichProgramsAreBuiltAreCountedApart) {
  task(30, 200, 20);
  was_building = true;
  job(1000, 1150);
  EXPECT_EQ(jobs.misses + jobs.long_jobs + jobs.early, 0u);
  EXPECT_EQ(jobs.longest_ns, 0u);
  EXPECT_EQ(jobs.building, 1u);
  EXPECT_EQ(jobs.longest_building_ns, 150 * kMs);
  EXPECT_TRUE(jobs.is_building());
  was_building = false;
  job(1200, 1225);
  EXPECT_EQ(jobs.count, 2u);
  EXPECT_EQ(jobs.building, 1u);
  EXPECT_FALSE(jobs.is_building());
  EXPECT_EQ(jobs.longest_ns, 25 * kMs);
  EXPECT_EQ(jobs.long_jobs, 1u);
  job(1300, 1305);
  EXPECT_EQ(jobs.early, 1u);
  was_building = true;
  job(1310, 1320);
  EXPECT_EQ(jobs.early, 2u) << "when it came has nothing to do with it";
}

TEST_F(JobTimesTest, WithoutATaskNothingIsPromised) {
  job(1000, 1500);
  job(1000, 1500);
  EXPECT_EQ(jobs.early + jobs.long_jobs + jobs.misses, 0u);
}

}  // namespace
}  // namespace samcl::protocol
