#include "analysis/dag/np_dags.h"

#include <gtest/gtest.h>

#include "analysis/dag/dag_json.h"

namespace samcl::analysis::dag {
namespace {

constexpr const char* kDiamond =
    "T, 1, 10, 8\n"
    "V, 1, 1, 0, 0, 0, 1\n"
    "V, 1, 2, 0, 0, 0, 4, 1\n"
    "V, 1, 3, 0, 0, 0, 2.000001, 1\n"
    "V, 1, 4, 0, 0, 0, 2, 2, 3\n";

TEST(NpDags, AreReadInMillisecondsOnCpus) {
  ASSERT_TRUE(is_np_dags(kDiamond));
  const auto set = parse_np_dags(kDiamond, 2);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->platform.cpus, 2);
  const Task& task = set->tasks.at(0);
  EXPECT_EQ(task.name, "task 1");
  EXPECT_EQ(task.period, 10'000'000);
  EXPECT_EQ(task.deadline, 8'000'000);
  EXPECT_EQ(task.vertices.at(2).worst, 2'000'001);
  EXPECT_EQ(task.edges, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(path_bound(task, set->platform), 8'000'001) << "1 + 4 + 2, and half of what is beside the 4";
}

TEST(NpDags, ComeBackAsTheyWere) {
  const auto set = parse_np_dags(kDiamond, 2);
  ASSERT_TRUE(set);
  EXPECT_EQ(*format_np_dags(*set), kDiamond);
  const auto json = parse_dags(format_dags(*set));
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(*format_np_dags(*json), kDiamond);
}

TEST(NpDags, VerticesMayComeBeforeTheirPredecessorsAndHaveAnyNumbers) {
  const auto set = parse_np_dags("T,7,4,4\nV,7,30,0,0,0.5,1,9\r\nV,7,9,0,0,0,1,\n\n", 1);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(*format_np_dags(*set), "T, 1, 4, 4\nV, 1, 1, 0, 0, 0, 1, 2\nV, 1, 2, 0, 0, 0, 1\n");
}

TEST(NpDags, WhatOurModelDoesNotHaveIsNamed) {
  const auto complaint = [](const std::string& rows) {
    const auto set = parse_np_dags(rows, 1);
    return set ? "none" : set.error().message;
  };
  EXPECT_EQ(complaint("T,1,4,4\nV,1,1,0,2,0,1\n"), "line 2: released from 0 to 2, expected 0: with the task's job");
  EXPECT_EQ(complaint("T,1,4,4\nV,1,1,0,0,0,1,2\n"), "line 2: '2', expected a vertex of the same task");
  EXPECT_EQ(complaint("V,1,1,0,0,0,1\n"), "line 1: '1', expected a task of a line before");
  EXPECT_EQ(complaint("T,1,4,4\nT,1,5,5\n"), "line 2: '1', expected a task that no other line has");
  EXPECT_EQ(complaint("T,1,4,4\nV,1,1,0,0,0,1\nV,1,1,0,0,0,1\n"),
            "line 3: '1', expected a vertex that no other line of the task has");
  EXPECT_EQ(complaint("T,1,x,4\n"), "line 1: 'x', expected milliseconds");
  EXPECT_EQ(complaint("T,1,4\n"),
            "line 1: expected T, task, period, deadline or V, task, vertex, two releases, two costs, predecessors");
  EXPECT_EQ(complaint("T,1,4,4\nV,1,1,0,0,0,1,1\n"), "task \"task 1\", edges: a cycle, expected none");
  const TaskSet two = {{1, 1, 1}, {{"G", 9, 9, {{"a", Resource::cpu, 1}, {"kernel", Resource::gpu, 1}}, {{0, 1}}}}};
  EXPECT_EQ(
      format_np_dags(two).error().message,
      "task \"G\", vertex \"kernel\", resource: expected that of the first vertex: there is one kind of processor");
  EXPECT_FALSE(is_np_dags("Task ID,Job ID,Release min\n"));
  EXPECT_FALSE(is_np_dags(""));
}

}  // namespace
}  // namespace samcl::analysis::dag
