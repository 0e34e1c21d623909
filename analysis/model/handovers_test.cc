#include "analysis/model/handovers.h"

#include <gtest/gtest.h>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {
namespace {

constexpr Handovers kCosts{100, 20, 3};

Stage stage(Resource resource, Time worst, Time section = 0, int requests = 1) {
  Stage one{resource, {worst}, {}};
  if (section > 0) one.section = {section};
  one.requests = requests;
  return one;
}

Time bound(const TaskSet& set, size_t task) {
  EXPECT_TRUE(check(set)) << check(set).error().message;
  return analyse(set, Modes(set.tasks.size(), 1), Form::safe).tasks[task].response;
}

TaskSet with(TaskSet set) {
  for (Task& task : set.tasks) task = with_handovers(task, kCosts);
  return set;
}

TEST(Handovers, JobAloneTakesLongerByItsOwn) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"one",
                100'000,
                100'000,
                1,
                {stage(Resource::cpu, 1000), stage(Resource::link, 500, 0, 3), stage(Resource::gpu, 4000, 800)}}};
  const Time own = 3 + 3 * 123 + 123;
  EXPECT_EQ(own_handovers(set.tasks[0], kCosts), own);
  EXPECT_EQ(bound(with(set), 0), bound(set, 0) + own);
  set.tasks[0].work = {4500};
  EXPECT_EQ(bound(with(set), 0), 4500 + own);
}

TEST(Handovers, WhoWaitsForASectionWaitsForItsBoundaryToo) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"urgent", 100'000, 100'000, 2, {stage(Resource::gpu, 4000, 800)}},
               {"long", 100'000, 100'000, 1, {stage(Resource::gpu, 9000, 1000)}}};
  EXPECT_EQ(bound(set, 0), 4000 + 999);
  EXPECT_EQ(bound(with(set), 0), bound(set, 0) + (3 + 123) + 20);
}

TEST(Handovers, EachJobThatInterruptsCostsItsRequests) {
  TaskSet set;
  set.platform.bound = true;
  set.tasks = {{"urgent", 20'000, 20'000, 2, {stage(Resource::gpu, 1000)}},
               {"long", 100'000, 100'000, 1, {stage(Resource::gpu, 25'000, 1000)}}};
  EXPECT_EQ(bound(set, 1), 27'000);
  EXPECT_EQ(bound(with(set), 1), bound(set, 1) + 2 * (3 + 123) + (3 + 123));
}

TEST(Handovers, CostingNothingChangeNothing) {
  const Task task{"one", 100, 100, 1, {stage(Resource::gpu, 10, 5, 2)}};
  const Task same = with_handovers(task, {});
  EXPECT_EQ(same.stages[0].worst, task.stages[0].worst);
  EXPECT_EQ(same.stages[0].section, task.stages[0].section);
}

}  // namespace
}  // namespace samcl::analysis
