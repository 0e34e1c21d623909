#include "analysis/dag/dag.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/dag/chains.h"
#include "analysis/dag/dag_json.h"
#include "analysis/generator/draw.h"
#include "base/test_seed.h"

namespace samcl::analysis::dag {
namespace {

constexpr Resource kCpu = Resource::cpu, kGpu = Resource::gpu;

// One kind of processor: Graham's bound. Path a-b-d, with c beside b: 7 + (9 - 7) / 2.
TEST(Dag, IsGrahamsBoundOnOneKindOfProcessor) {
  const Task task = {
      "G", 20, 20, {{"a", kCpu, 1}, {"b", kCpu, 4}, {"c", kCpu, 2}, {"d", kCpu, 2}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}};
  const Platform two = {2, 1, 1};
  EXPECT_EQ(jaffe_bound(task, two), 8);
  EXPECT_EQ(scaled_bound(task, two), 8);
  EXPECT_EQ(path_bound(task, two), 8);
}

// A CPU's part of 6, then a kernel of 8 beside which the CPU computes for 4. With eight CPUs instead of one Jaffe's
// bound grows: (1 - 1/8) 14 + 10/8 + 8; Han et al. call that not self-sustainable. Nothing on the path has a rival of
// its kind.
TEST(Dag, JaffesBoundGrowsWithTheProcessors) {
  const Task task = {"G", 40, 40, {{"a", kCpu, 6}, {"kernel", kGpu, 8}, {"b", kCpu, 4}}, {{0, 1}, {0, 2}}};
  EXPECT_EQ(jaffe_bound(task, {1, 1, 1}), 18);
  EXPECT_EQ(jaffe_bound(task, {8, 1, 1}), 22);  // 12.25 + 9.25
  EXPECT_EQ(scaled_bound(task, {1, 1, 1}), 18);
  EXPECT_EQ(scaled_bound(task, {8, 1, 1}), 18);  // (10 + 8 * 8) / 8 + 7/8 (6 + 4)
  EXPECT_EQ(path_bound(task, {1, 1, 1}), 14);
}

TEST(Dag, ChecksWhatItIsGiven) {
  TaskSet set = {{2, 1, 1}, {{"G", 20, 20, {{"a", kCpu, 1}, {"b", kGpu, 1}}, {{0, 1}}}}};
  EXPECT_TRUE(check(set));
  set.tasks[0].edges.emplace_back(1, 0);
  EXPECT_EQ(check(set).error().message, "task \"G\", edges: a cycle, expected none");
  set.tasks[0].deadline = 21;
  EXPECT_EQ(check(set).error().message, "task \"G\", deadline: 21, expected at most the period");
}

// Two kernels of 10 side by side: 10 + 10 / 2 on two GPUs, 20 on one.
TEST(Dag, FederatesWithTheLeastGpus) {
  const Task tight = {"tight", 30, 15, {{"x", kGpu, 10}, {"y", kGpu, 10}}}, loose = {"loose", 30, 20, tight.vertices};
  const auto found = federate({{1, 1, 3}, {tight, loose}});
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].gpus, 2);
  EXPECT_EQ((*found)[0].cpus, 0);
  EXPECT_EQ((*found)[1].gpus, 1);
  EXPECT_FALSE(federate({{1, 1, 3}, {tight, tight}}));
}

TEST(Dag, IsReadFromJson) {
  const std::string text =
      R"({"platform": {"cpus": 2, "gpus": 1}, "tasks": [{"name": "G", "period": "1us", "vertices": [
    {"name": "a", "resource": "CPU", "worst": 6}, {"name": "b", "resource": "GPU", "worst": 8}], "edges": [["a", "b"]]}]})";
  const auto set = parse_dags(text);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->tasks[0].deadline, 1000);
  EXPECT_EQ(path_bound(set->tasks[0], set->platform), 14);
  std::string wrong = text;
  wrong.replace(wrong.find("\"b\"]"), 3, "\"c\"");
  EXPECT_EQ(parse_dags(wrong).error().message, "/tasks/0/edges/0/1: \"c\", expected the name of a vertex of this task");
  EXPECT_EQ(parse_dags(R"({"platform": {"cpus": 2, "gpus": 1}, "tasks": []})").error().message,
            "/tasks: [], expected a list of at least one task");
}

// In mode 2 a CPU's part of 4, a transfer asked for twice (8, with 1 on a CPU between), two subtasks of 10 side by
// side.
TEST(Dag, APipelineIsAChain) {
  analysis::TaskSet set;
  set.platform.gpus = 2;
  set.tasks = {{"t", 90, 80, {}, {{kCpu, {4, 4}, {}}, {Resource::link, {8, 8}, {}}, {kGpu, {15, 10}, {}}}}};
  set.tasks[0].stages[1].requests = 2;
  const auto graphs = chains(set, Modes{2});
  ASSERT_TRUE(graphs) << graphs.error().message;
  const Task& task = graphs->tasks.at(0);
  EXPECT_EQ(task.deadline, 80);
  ASSERT_EQ(task.vertices.size(), 5);
  EXPECT_EQ(task.vertices[4].name, "stage 3.2");
  EXPECT_EQ(task.edges, (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {2, 4}}));
  EXPECT_EQ(path_bound(task, {1, 1, 2}), 4 + 8 + 1 + 10 + 10 / 2);
  EXPECT_EQ(path_bound(task, {1, 1, 1}), 4 + 8 + 1 + 2 * 10);
  set.platform.bound = true;
  EXPECT_EQ(chains(set, Modes{1}).error().message, "platform, bound: expected false");
}

// Each vertex begins as soon as it can, of those that can at random, and executes for its worst time or less.
Time simulate(const Task& task, const Platform& platform, Draw& draw) {
  const size_t count = task.vertices.size();
  std::vector<Time> left, end(count, 0);
  for (const Vertex& vertex : task.vertices)
    left.push_back(draw.chance(0.7) ? vertex.worst : draw.whole(1, vertex.worst));
  std::vector<bool> begun(count, false);
  for (Time now = 0;; ++now) {
    const auto done = [&](size_t v) { return begun[v] && left[v] == 0; };
    for (size_t v = 0; v < count; ++v)
      if (begun[v] && left[v] > 0 && --left[v] == 0) end[v] = now;
    std::array<int, 3> used{};
    for (size_t v = 0; v < count; ++v)
      if (begun[v] && !done(v)) ++used[at(task.vertices[v].resource)];
    const size_t first = static_cast<size_t>(draw.whole(0, static_cast<Time>(count) - 1));
    for (size_t n = 0; n < count; ++n) {
      const size_t v = (first + n) % count;
      const bool ready = std::all_of(task.edges.begin(), task.edges.end(),
                                     [&](const auto& edge) { return edge.to != v || done(edge.from); });
      int& elements = used[at(task.vertices[v].resource)];
      if (begun[v] || !ready || elements == platform.elements(task.vertices[v].resource)) continue;
      begun[v] = true;
      ++elements;
    }
    bool all = true;
    for (size_t v = 0; v < count; ++v) all = all && done(v);
    if (all) return *std::max_element(end.begin(), end.end());
  }
}

TEST(Dag, BoundsHoldInSimulationsAndEachIsWithinTheOneBefore) {
  const TestSeed seed;
  Draw draw(seed);
  int attained = 0;
  for (int n = 0; n < 500; ++n) {
    Task task = {"G", 1000, 1000, {}};
    const size_t count = static_cast<size_t>(draw.whole(1, 9));
    const double edges = draw.between(0.1, 0.6);
    for (size_t v = 0; v < count; ++v) {
      task.vertices.push_back({"v", kResources[static_cast<size_t>(draw.whole(0, 2))], draw.whole(1, 9)});
      for (size_t u = 0; u < v; ++u)
        if (draw.chance(edges)) task.edges.emplace_back(u, v);
    }
    const Platform platform = {static_cast<int>(draw.whole(1, 3)), static_cast<int>(draw.whole(1, 2)),
                               static_cast<int>(draw.whole(1, 3))};
    const Time paths = path_bound(task, platform), scaled = scaled_bound(task, platform);
    EXPECT_LE(paths, scaled);
    EXPECT_LE(scaled, jaffe_bound(task, platform));
    Time longest = 0;
    for (int plan = 0; plan < 30; ++plan) longest = std::max(longest, simulate(task, platform, draw));
    ASSERT_LE(longest, paths) << "graph " << n;
    attained += longest == paths ? 1 : 0;
  }
  EXPECT_GT(attained, 100);
}

}  // namespace
}  // namespace samcl::analysis::dag
