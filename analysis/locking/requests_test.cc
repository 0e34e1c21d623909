#include "analysis/locking/requests.h"

#include <gmock/gmock.h>

#include <random>

#include "analysis/locking/testing/paper_example.h"
#include "base/test_seed.h"

namespace samcl::analysis::locking {
namespace {

// The same tasks, with one request for one resource.
std::vector<RequestingTask> with_one_request(const TaskSet& set) {
  std::vector<RequestingTask> tasks;
  for (const Task& task : set.tasks) {
    tasks.push_back({task.name, task.period, task.execution(), 0, {}});
    if (task.uses_gpu()) tasks.back().uses = {{0, task.section, task.section, 1}};
  }
  return tasks;
}

std::vector<Time> blocking(const SharedResourceVerdict& verdict) {
  std::vector<Time> all;
  for (const SharedResourceTask& task : verdict.tasks) all.push_back(task.blocking);
  return all;
}

TEST(Requests, OneRequestForOneGpuIsTheSharedResourceMethod) {
  const TaskSet set = paper_example();
  const auto verdict = analyse_requests(with_one_request(set), set.cpus, RequestOrder::arrival);
  const auto known = analyse_shared_resource(set, Protocol::fmlp_long);
  EXPECT_EQ(blocking(verdict), blocking(known));
  EXPECT_EQ(verdict.schedulable(), known.schedulable());
  for (size_t i = 0; i < set.tasks.size(); ++i) EXPECT_EQ(verdict.tasks[i].late, known.tasks[i].late) << i;
}

TEST(Requests, EachRequestWaitsForOneOfEveryOtherTask) {
  const std::vector<RequestingTask> tasks = {{"twice", 1000, 20, 0, {{0, 10, 20, 2}}},
                                             {"long", 1000, 40, 0, {{0, 40, 40, 1}}},
                                             {"elsewhere", 1000, 300, 0, {{1, 300, 300, 1}}}};
  EXPECT_THAT(blocking(analyse_requests(tasks, 2, RequestOrder::arrival)), ::testing::ElementsAre(80, 10, 0));
}

TEST(Requests, NoMoreIsWaitedThanOthersHaveInAll) {
  const std::vector<RequestingTask> tasks = {{"often", 1000, 20, 0, {{0, 1, 20, 100}}},
                                             {"long", 1000, 40, 0, {{0, 40, 40, 1}}}};
  EXPECT_THAT(blocking(analyse_requests(tasks, 2, RequestOrder::arrival)), ::testing::ElementsAre(80, 1))
      << "two jobs of the other can be pending beside one";
  EXPECT_THAT(blocking(analyse_requests(tasks, 2, RequestOrder::any)), ::testing::ElementsAre(80, 40));
}

TEST(Requests, OmlpCountsTwiceTheCpusLessOne) {
  std::vector<RequestingTask> tasks;
  for (int n = 0; n < 9; ++n) tasks.push_back({"t", 1000, 10, 0, {{0, 10, 10, 1}}});
  EXPECT_THAT(blocking(analyse_requests(tasks, 2, RequestOrder::omlp)), ::testing::Each(30));
  EXPECT_THAT(blocking(analyse_requests(tasks, 2, RequestOrder::arrival)), ::testing::Each(80));
}

TEST(Requests, WhatIsWaitedBesidesCounts) {
  const auto verdict = analyse_requests({{"t", 100, 60, 50, {}}}, 2, RequestOrder::any);
  EXPECT_EQ(verdict.too_long, 0u);
}

// Under FMLP-Long and whatever the order is, the bounds are never less than those of the analyses that know
// one section.
TEST(Requests, NeverLessThanOneSectionsAnalyses) {
  const TestSeed seed;
  std::mt19937 random(seed);
  for (int n = 0; n < 500; ++n) {
    TaskSet set{2 + static_cast<int>(random() % 3), 1, {}};
    const int tasks = 2 + static_cast<int>(random() % 5);
    for (int i = 0; i < tasks; ++i) {
      const Time section = 1 + static_cast<Time>(random() % 5);
      set.tasks.push_back({"t", 20 + static_cast<Time>(random() % 50), section, section, section});
    }
    const auto fifo = analyse_requests(with_one_request(set), set.cpus, RequestOrder::arrival);
    const auto any = analyse_requests(with_one_request(set), set.cpus, RequestOrder::any);
    const auto known = analyse_shared_resource(set, Protocol::fmlp_long);
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      ASSERT_EQ(fifo.tasks[i].blocking, known.tasks[i].blocking);
      ASSERT_GE(any.tasks[i].blocking, fifo.tasks[i].blocking);
    }
  }
}

}  // namespace
}  // namespace samcl::analysis::locking
