#include "analysis/sim/live_check.h"

#include <gmock/gmock.h>

namespace samcl::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Rule = Violation::Rule;

constexpr Time kUs = 1000, kMs = 1'000'000;

// "high" and "low" on one GPU, and what stands for all others.
struct LiveCheck : ::testing::Test {
  TaskSet set;
  Modes modes = {1, 1, 1};
  LiveSchedule live;

  LiveCheck() {
    set.platform = {1, 1, 1, true};
    set.tasks = {task("high", 20 * kMs, 2, 4 * kMs, kMs), task("low", 40 * kMs, 1, 6 * kMs, 2 * kMs),
                 task("(others)", kLongest, 0, kMs / 2, 0)};
    live.programs = {{"high (1)", 0}, {"low (2)", 1}, {"process 3", std::nullopt}};
  }
  static Task task(const char* name, Time period, int priority, Time worst, Time section) {
    Task made;
    made.name = name;
    made.period = made.deadline = period;
    made.priority = priority;
    made.stages = {{Resource::gpu, {worst}, {}, {section}}};
    return made;
  }
  void has(size_t program, Time begin, Time end, Time section = kMs / 2) {
    live.holdings.push_back({program, Resource::gpu, "a", begin, end, section});
  }
  void waits(size_t program, Time begin, Time end) { live.waits.push_back({program, Resource::gpu, "a", begin, end}); }
  std::vector<Violation> check(GrantOrder order = GrantOrder::priority) const {
    return check_live(set, modes, analyse(set, modes, Form::safe), live, 100 * kUs, order);
  }
  void expect(Rule rule, const std::string& words) const {
    const auto found = check();
    ASSERT_THAT(found, SizeIs(1)) << (found.empty() ? "" : found.back().what);
    EXPECT_STREQ(name(found[0].rule), name(rule));
    EXPECT_THAT(found[0].what, HasSubstr(words));
  }
};

TEST_F(LiveCheck, ScheduleOfTheModelHasNoViolation) {
  has(1, 0, 2 * kMs, 2 * kMs);
  waits(0, kMs, 2 * kMs);
  has(0, 2 * kMs, 6 * kMs);
  has(1, 6 * kMs, 10 * kMs);
  live.jobs = {{0, kMs, 6 * kMs}, {0, 21 * kMs, 25 * kMs}, {1, 0, 10 * kMs}};
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(LiveCheck, TwoAtOnce) {
  has(0, 0, kMs);
  has(1, kMs / 2, 2 * kMs);
  expect(Rule::exclusion, "a: low (2) has it while high (1) does, for 500 us");
}

TEST_F(LiveCheck, WithinTheToleranceIsNoViolation) {
  has(0, 0, kMs);
  has(1, kMs - 90 * kUs, 2 * kMs);
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(LiveCheck, SectionLongerThanTheTasks) {
  has(0, 0, 2 * kMs, 2 * kMs);
  expect(Rule::section, "high (1): a section of 2000 us on a, where 1000 us are the longest");
}

TEST_F(LiveCheck, SectionOfOthersThatATaskWaitsForTooLong) {
  has(2, 0, 3 * kMs, 3 * kMs);
  waits(1, 2 * kMs, 3 * kMs);
  expect(Rule::priority,
         "a: process 3 keeps low (2), which is more urgent, waiting for 1000 us, where a section of 500 us");
  EXPECT_THAT(check(GrantOrder::other), SizeIs(1)) << "they come after tasks under each policy";
}

TEST_F(LiveCheck, SectionOfOthersThatNoTaskWaitsForMayLast) {
  has(2, 0, 3 * kMs, 3 * kMs);
  waits(1, 2500 * kUs, 3 * kMs);
  waits(2, kMs, 3 * kMs);
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(LiveCheck, MoreUrgentOneIsKeptWaiting) {
  has(1, 0, 5 * kMs, 2 * kMs);
  waits(0, kMs, 5 * kMs);
  expect(Rule::priority,
         "a: low (2) keeps high (1), which is more urgent, waiting for 4000 us, where a section of 2000 us");
}

TEST_F(LiveCheck, LessUrgentOneIsServedFirst) {
  has(1, 2 * kMs, 3 * kMs);
  waits(0, kMs, 3 * kMs);
  expect(Rule::priority, "a: low (2) gets it though high (1), which is more urgent, has waited for 1000 us");
}

TEST_F(LiveCheck, WhoIsLessUrgentMayWait) {
  has(0, 2 * kMs, 6 * kMs);
  waits(1, kMs, 6 * kMs);
  waits(2, kMs, 6 * kMs);
  EXPECT_THAT(check(), IsEmpty());
}

TEST_F(LiveCheck, JobLongerOnItsGpuThanItsStages) {
  has(0, 0, 3 * kMs);
  has(0, 3500 * kUs, 5500 * kUs);
  live.jobs = {{0, 0, 5500 * kUs}};
  expect(Rule::stages, "high (1): a job has a for 5000 us, and its stages there take 4000 us at most");
}

TEST_F(LiveCheck, JobSoonerThanItsPeriod) {
  live.jobs = {{0, 0, kMs}, {0, 15 * kMs, 16 * kMs}};
  expect(Rule::period, "high (1): a job begins 15000 us after the one before, and its period is 20000 us");
}

TEST_F(LiveCheck, JobLongerThanItsBound) {
  live.jobs = {{0, 0, 15 * kMs}};
  expect(Rule::bound, "high (1): a job takes 15000 us, and its bound is 6000 us");
}

TEST_F(LiveCheck, WhereOthersThanPrioritiesDecideTheseAndBoundsSayNothing) {
  has(1, 2 * kMs, 3 * kMs);
  waits(0, kMs, 3 * kMs);
  live.jobs = {{0, 0, 15 * kMs}};
  EXPECT_THAT(check(), SizeIs(2));
  EXPECT_THAT(check(GrantOrder::other), IsEmpty());
}

TEST_F(LiveCheck, EarliestIsNamedFirst) {
  live.jobs = {{0, 0, 15 * kMs}};
  has(0, kMs, 3 * kMs, 2 * kMs);
  EXPECT_STREQ(name(check().front().rule), "section");
}

}  // namespace
}  // namespace samcl::analysis
