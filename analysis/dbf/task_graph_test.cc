#include "analysis/dbf/task_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/dbf/random_graph.h"

namespace samcl::analysis::dbf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// source -> left, right -> sink.
TaskGraph diamond() {
  TaskGraph task;
  task.name = "diamond";
  task.period = 100;
  task.vertices = {{"source", 2, 5}, {"left", 10, 20}, {"right", 4, 6}, {"sink", 3, 10}};
  task.edges = {{0, 1, 5}, {0, 2, 8}, {1, 3, 20}, {2, 3, 30}};
  return task;
}

std::string complaint(const TaskGraph& task) {
  const auto good = check(task);
  return good ? "" : good.error().message;
}

// Accepted, but with bounds that may be above what any walk demands.
std::string looseness(const TaskGraph& task) {
  EXPECT_EQ(complaint(task), "");
  const auto good = check_exact(task);
  return good ? "" : good.error().message;
}

TEST(TaskGraph, IsAcceptedAndMeasured) {
  const TaskGraph task = diamond();
  EXPECT_EQ(complaint(task), "");
  EXPECT_THAT(topological_order(task), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(restart_of(task), 10);
  EXPECT_EQ(heaviest_path(task).execution, 15);
  EXPECT_THAT(heaviest_path(task).vertices, ElementsAre(0, 1, 3));
}

TEST(TaskGraph, OfOneVertexIsASporadicTask) {
  EXPECT_EQ(complaint({"one", 10, {{"job", 3, 7}}, {}, {}}), "");
  EXPECT_EQ(looseness({"one", 10, {{"job", 3, 7}}, {}, {}}), "");
  EXPECT_THAT(looseness({"one", 10, {{"job", 3, 11}}, {}, {}}), HasSubstr("for exact bounds at least 11"));
}

TEST(TaskGraph, WithoutOneSourceAndOneSinkIsNamed) {
  TaskGraph task = diamond();
  task.edges.erase(task.edges.begin());
  EXPECT_THAT(complaint(task), HasSubstr("\"source\", \"left\" have no predecessor"));
  task = diamond();
  task.edges.pop_back();
  EXPECT_THAT(complaint(task), HasSubstr("\"right\", \"sink\" have no successor"));
  task = diamond();
  task.edges.push_back({3, 0, 10});
  EXPECT_THAT(complaint(task), HasSubstr("there is a cycle"));
  task = diamond();
  task.vertices.push_back({"extra", 1, 1});
  task.edges.insert(task.edges.end(), {{1, 4, 20}, {4, 1, 20}});
  EXPECT_THAT(complaint(task), HasSubstr("on a cycle or behind one"));
}

TEST(TaskGraph, WithDeadlinesOutOfOrderIsBoundedFromAbove) {
  TaskGraph task = diamond();
  task.edges[2].separation = 9;
  EXPECT_THAT(looseness(task), HasSubstr("edge \"left\" -> \"sink\": deadline 20 ns"));
  task.edges[2].separation = 10;
  EXPECT_EQ(looseness(task), "");
  task = diamond();
  task.restart = 4;
  EXPECT_THAT(looseness(task), HasSubstr("restart is 4 ns"));
}

TEST(TaskGraph, ThatDoesNotFitIntoItsPeriodIsBoundedFromAbove) {
  TaskGraph task = diamond();
  task.period = 48;
  EXPECT_EQ(looseness(task), "");
  task.period = 47;
  EXPECT_THAT(looseness(task), HasSubstr("period is 47 ns, for exact bounds at least 48"));
  task.period = 100;
  task.restart = 63;
  EXPECT_THAT(looseness(task), HasSubstr("for exact bounds at least 101"));
}

TEST(TaskGraph, WithNumbersOrNamesThatMakeNoSenseIsNamed) {
  TaskGraph task = diamond();
  task.vertices[1].execution = 0;
  EXPECT_THAT(complaint(task), HasSubstr("vertex \"left\": execution: 0 ns"));
  task = diamond();
  task.vertices[1].deadline = kLongest + 1;
  EXPECT_THAT(complaint(task), HasSubstr("vertex \"left\": deadline"));
  task = diamond();
  task.vertices[1].name = "right";
  EXPECT_THAT(complaint(task), HasSubstr("vertex \"right\": listed twice"));
  task = diamond();
  task.edges.push_back(task.edges[0]);
  EXPECT_THAT(complaint(task), HasSubstr("edge \"source\" -> \"left\": listed twice"));
  task = diamond();
  task.edges[0].separation = -1;
  EXPECT_THAT(complaint(task), HasSubstr("separation: -1 ns"));
  task = diamond();
  task.edges[0].to = 0;
  EXPECT_THAT(complaint(task), HasSubstr("two different vertices"));
  EXPECT_THAT(complaint({"none", 10, {}, {}, {}}), HasSubstr("0 vertices"));
  EXPECT_FALSE(check(std::vector<TaskGraph>{diamond(), diamond()}).has_value());
  EXPECT_FALSE(check(std::vector<TaskGraph>{}).has_value());
}

TEST(RandomGraphs, AreTasks) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    RandomGraph wanted;
    wanted.vertices = 1 + seed % 12;
    wanted.density = static_cast<double>(seed % 5) / 4;
    wanted.overlapping = seed % 2 == 0;
    wanted.most_load = 0.5;
    EXPECT_EQ(looseness(random_graph(wanted, seed)), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace samcl::analysis::dbf
