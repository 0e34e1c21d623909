#include "analysis/dbf/demand_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/dbf/demanding_walk.h"
#include "analysis/dbf/random_graph.h"
#include "analysis/dbf/testing/every_walk.h"
#include "base/test_seed.h"

namespace samcl::analysis::dbf {
namespace {

// Small: all of its walks can be looked at.
TaskGraph small_graph(uint64_t seed) {
  Draw draw(seed);
  RandomGraph wanted;
  wanted.vertices = static_cast<size_t>(draw.whole(1, 6));
  wanted.density = draw.unit();
  wanted.most_execution = draw.whole(1, 12);
  wanted.most_slack = draw.between(1, 20);
  wanted.most_separation = draw.between(1, 10);
  wanted.most_period = draw.between(1, 1.5);
  wanted.overlapping = draw.chance(0.5);
  return random_graph(wanted, draw.whole(1, INT32_MAX));
}

std::map<Time, Time> by_demand(const std::vector<Time>& shortest, Time unit) {
  std::map<Time, Time> known;
  for (size_t c = 0; c < shortest.size(); ++c)
    if (shortest[c] != kNever) known[static_cast<Time>(c) * unit] = shortest[c];
  return known;
}

TEST(Intervals, AreThoseOfAllWalks) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 400; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskGraph task = small_graph(seed);
    const DoubledGraph graph = double_graph(task);
    const EveryWalk walks(task, 2 * task.period);
    const ShortestIntervals plain = plain_intervals(graph);
    ASSERT_EQ(by_demand(plain.without_source, plain.unit), walks.shortest_without_source());
    // Walks with one source that go on to the next one are longer than two periods or demand more.
    auto with_source = by_demand(plain.with_source, plain.unit);
    for (const auto& [demand, length] : walks.shortest_with_source()) ASSERT_EQ(with_source[demand], length);
    ASSERT_EQ(fast_intervals(graph, 1), plain);
    ASSERT_EQ(fast_intervals(graph, 3), plain);
    const Fronts fronts(graph);
    ASSERT_EQ(fronts.without_source(), staircase_of(plain.without_source, plain.unit));
    ASSERT_EQ(fronts.with_source(), staircase_of(plain.with_source, plain.unit));
  }
}

TEST(Intervals, AgreeOnGraphsOfManyColumnsAndUnits) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 6; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    RandomGraph wanted;
    wanted.vertices = 5 + seed % 9;
    wanted.density = 0.3 + static_cast<double>(seed % 7) / 10;
    wanted.most_execution = 6000;
    TaskGraph task = random_graph(wanted, seed);
    const ShortestIntervals plain = plain_intervals(double_graph(task));
    for (const int threads : {1, 2, 5}) ASSERT_EQ(fast_intervals(double_graph(task), threads), plain);

    // The same in other units; times beyond 32 bits that have no common unit.
    for (Vertex& vertex : task.vertices) vertex.execution *= 1000;
    const ShortestIntervals larger = plain_intervals(double_graph(task));
    EXPECT_EQ(larger.with_source, plain.with_source);
    EXPECT_EQ(larger.unit, plain.unit * 1000);
    for (Vertex& vertex : task.vertices) vertex.deadline *= 3'000'017;
    for (Edge& edge : task.edges) edge.separation = edge.separation * 3'000'017 + 1;
    task.period *= 4'000'037;
    ASSERT_TRUE(check(task).has_value());
    ASSERT_EQ(fast_intervals(double_graph(task), 2), plain_intervals(double_graph(task)));
  }
}

TEST(Intervals, RefuseATableThatIsTooLarge) {
  const TaskGraph task{
      "long", kLongest, {{"a", 1'000'000'007, 2'000'000'000}, {"b", 2, 2}}, {{0, 1, 2'000'000'000}}, {}};
  ASSERT_TRUE(check(task).has_value());
  const auto columns = table_columns(double_graph(task));
  ASSERT_FALSE(columns.has_value());
  EXPECT_THAT(columns.error().message, testing::HasSubstr("largest common unit is 1 ns"));
}

TEST(DemandBound, IsThatOfAllWalks) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 400; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskGraph task = small_graph(seed);
    const DoubledGraph graph = double_graph(task);
    const Fronts fronts(graph);
    const DemandBound bound(task, fronts), published(task, fronts, Recurrence::published);
    const EveryWalk walks(task, task.period * 7 / 2);
    std::optional<Time> before;
    for (const auto& [length, most] : walks.lengths()) {
      for (const Time t : {length - 1, length}) {
        ASSERT_EQ(bound.at(t), walks.demand(t)) << "t = " << t;
        ASSERT_GE(published.at(t), bound.at(t));
        ASSERT_EQ(demanding_walk(task, graph, fronts, t).demand, bound.at(t)) << "t = " << t;
        ASSERT_LE((bound.at(t) - bound.burst()) * task.period, t * bound.heaviest());
      }
      if (bound.at(length) == bound.at(length - 1)) continue;
      if (before) {
        ASSERT_GE(bound.change_before(length), before);
        ASSERT_LE(bound.change_after(*before), length);
      }
      before = length;
    }
  }
}

// Deadlines out of order, periods shorter than paths: no walk demands more than the bound.
TEST(DemandBound, IsNotExceededByWalksOfAnyGraph) {
  const uint64_t first = test_seed();
  int loose = 0, above = 0;
  for (uint64_t seed = first; seed < first + 150; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    TaskGraph task = small_graph(seed);
    Draw draw(seed);
    for (Vertex& vertex : task.vertices) vertex.deadline = draw.whole(1, 60);
    for (Edge& edge : task.edges) edge.separation = draw.whole(0, 10);
    task.restart = draw.whole(0, 10);
    task.period = draw.whole(3, 40);
    ASSERT_TRUE(check(task));
    loose += check_exact(task) ? 0 : 1;
    const DoubledGraph graph = double_graph(task);
    const Fronts fronts(graph);
    const DemandBound bound(task, fronts), published(task, fronts, Recurrence::published);
    const Time horizon = 3 * task.period;
    const EveryWalk walks(task, horizon);
    for (Time t = 0; t <= horizon; ++t) {
      ASSERT_GE(bound.at(t), walks.demand(t)) << "t = " << t;
      ASSERT_GE(published.at(t), bound.at(t));
      above += bound.at(t) > walks.demand(t) ? 1 : 0;
      ASSERT_LE((bound.at(t) - bound.burst()) * task.period, t * bound.heaviest());
    }
  }
  EXPECT_GT(loose, 50);
  EXPECT_GT(above, 0);
}

TEST(DemandBound, ChangesOnlyWhereItSays) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 100; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskGraph task = small_graph(seed);
    const DoubledGraph graph = double_graph(task);
    const Fronts fronts(graph);
    for (const Recurrence form : {Recurrence::exact, Recurrence::published}) {
      const DemandBound bound(task, fronts, form);
      Time next = bound.change_after(0);
      for (Time t = 1; t < 4 * task.period; ++t) {
        if (t < next)
          ASSERT_EQ(bound.at(t), bound.at(t - 1)) << "t = " << t;
        else
          next = bound.change_after(t);
        const auto before = bound.change_before(t);
        ASSERT_EQ(bound.at(before.value_or(0)), bound.at(t - 1)) << "t = " << t;
      }
    }
  }
}

// A walk as legal and as demanding as it says.
TEST(DemandingWalk, KeepsAllSeparationsAndEndsInTime) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 200; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskGraph task = small_graph(seed);
    const DoubledGraph graph = double_graph(task);
    const Fronts fronts(graph);
    const Time t = Draw(seed).whole(1, 5 * task.period);
    const Walk walk = demanding_walk(task, graph, fronts, t);
    std::vector<Triggered> all = walk.tail;
    for (int64_t n = 0; n < walk.repetitions; ++n)
      for (const Triggered& job : walk.repeated) all.push_back({job.vertex, job.at + n * task.period});
    all.insert(all.end(), walk.head.begin(), walk.head.end());
    Time demand = 0;
    std::optional<Time> source;
    const auto order = topological_order(task);
    for (size_t n = 0; n < all.size(); ++n) {
      const auto& [vertex, at] = all[n];
      demand += task.vertices[vertex].execution;
      ASSERT_LE(at + task.vertices[vertex].deadline, t);
      if (n > 0 && vertex == order.front()) {
        ASSERT_EQ(all[n - 1].vertex, order.back());
        ASSERT_GE(at, all[n - 1].at + restart_of(task));
        if (source) {
          ASSERT_GE(at, *source + task.period);
        }
      } else if (n > 0) {
        const auto edge = std::find_if(task.edges.begin(), task.edges.end(), [&](const Edge& known) {
          return known.from == all[n - 1].vertex && known.to == vertex;
        });
        ASSERT_NE(edge, task.edges.end());
        ASSERT_GE(at, all[n - 1].at + edge->separation);
      }
      if (vertex == order.front()) source = at;
    }
    ASSERT_EQ(demand, walk.demand);
  }
}

// PROOF.md: in an interval of 101, b alone would fit beside a whole instance by the published recurrence, but
// no walk has both.
TEST(DemandBound, AsPublishedIsMoreThanAnyWalkDemandsInTheCounterexample) {
  const TaskGraph task{"T",
                       100,
                       {{"s", 1, 1}, {"a", 100, 40}, {"b", 10, 1}, {"z", 1, 1}},
                       {{0, 1, 20}, {1, 3, 78}, {0, 2, 50}, {2, 3, 48}},
                       {}};
  ASSERT_TRUE(check(task).has_value());
  const DoubledGraph graph = double_graph(task);
  const Fronts fronts(graph);
  EXPECT_EQ(DemandBound(task, fronts).at(101), 103);
  EXPECT_EQ(EveryWalk(task, 101).demand(101), 103);
  EXPECT_EQ(DemandBound(task, fronts, Recurrence::published).at(101), 112);
}

TEST(DemandBound, OfASporadicTaskIsTheKnownOne) {
  const TaskGraph task{"sporadic", 10, {{"job", 3, 7}}, {}, {}};
  const DoubledGraph graph = double_graph(task);
  const DemandBound bound(task, Fronts(graph));
  for (Time t = 0; t < 100; ++t) EXPECT_EQ(bound.at(t), t < 7 ? 0 : ((t - 7) / 10 + 1) * 3);
  EXPECT_EQ(bound.at(kMostDemand), (kMostDemand - 7) / 10 * 3 + 3);
  EXPECT_EQ(bound.burst(), 1);
}

TEST(DemandBound, StopsAtTheMostThatIsCounted) {
  const TaskGraph task{"overload", 10, {{"job", kLongest, 7}}, {}, {}};
  ASSERT_TRUE(check(task).has_value());
  const DoubledGraph graph = double_graph(task);
  const Fronts fronts(graph);
  EXPECT_EQ(DemandBound(task, fronts).at(kMostDemand), kMostDemand);
  EXPECT_EQ(demanding_walk(task, graph, fronts, kMostDemand).demand, kMostDemand);
}

}  // namespace
}  // namespace samcl::analysis::dbf
