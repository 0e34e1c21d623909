#include "libsamcl/engine/engine.h"

#include <gmock/gmock.h>

#include <random>

#include "libsamcl/engine/testing/simulated_backend.h"

namespace samcl::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::SimulatedBackend;

constexpr Lane kCompute0{LaneKind::compute, 0}, kCompute1{LaneKind::compute, 1}, kUp0{LaneKind::up, 0};

struct EngineTest : ::testing::Test {
  SimulatedBackend backend;
  std::function<void(const Node&, cl_int)> at_end = [this](const Node& node, cl_int status) {
    if (by_address.contains(&node)) over.emplace_back(by_address[&node], status);
  };
  Engine engine{backend, [this](const Node& node, cl_int status) { at_end(node, status); }};
  std::vector<std::pair<NodePtr, cl_int>> over;  // in the order in which they ended

  NodePtr add(Lane lane, std::vector<NodePtr> after = {}) {
    auto node = std::make_shared<Node>(lane, HostCall{[] { return CL_SUCCESS; }}, 0);
    return entered(node, after);
  }
  NodePtr join(std::vector<NodePtr> after) { return entered(std::make_shared<Node>(Lane{}, HostCall{}, 0), after); }
  NodePtr entered(const NodePtr& node, const std::vector<NodePtr>& after) {
    by_address[node.get()] = node;
    engine.add(node, after);
    return node;
  }
  std::map<const Node*, NodePtr> by_address;

  std::vector<NodePtr> order() const {
    std::vector<NodePtr> nodes;
    for (const auto& [node, status] : over) nodes.push_back(node);
    return nodes;
  }
  cl_int status_of(const NodePtr& node) const {
    for (const auto& [each, status] : over)
      if (each == node) return status;
    return 1;
  }
};

TEST_F(EngineTest, WhatWaitsForNothingIsIssuedAtOnce) {
  const auto a = add(kCompute0), b = add(kCompute1);
  EXPECT_TRUE(a->issued && b->issued);
  EXPECT_FALSE(a->ended);
  backend.run(engine);
  EXPECT_TRUE(a->ended && b->ended);
  EXPECT_EQ(engine.open(), 0u);
}

TEST_F(EngineTest, InOneLaneOperationsAreIssuedBehindEachOther) {
  const auto a = add(kCompute0), b = add(kCompute0, {a});
  EXPECT_TRUE(b->issued) << "nobody waits for the end of a";
  backend.run(engine);
  EXPECT_THAT(order(), ElementsAre(a, b));
}

TEST_F(EngineTest, AcrossDevicesTheEndIsWaitedFor) {
  const auto a = add(kCompute0), b = add(kCompute1, {a});
  EXPECT_FALSE(b->issued);
  backend.run(engine);
  EXPECT_THAT(order(), ElementsAre(a, b));
}

// Of what comes to be ready together, though one hears of it by way of another: a and b, what follows each, and so on.
TEST_F(EngineTest, OneLaneKeepsTheOrderOfEntering) {
  const auto first = add(kUp0);
  const auto a = add(kCompute0, {first}), b = add(kCompute0, {first}), after_b = add(kCompute0, {b});
  const auto after_a = add(kCompute0, {a}), after_both = add(kCompute0, {after_a, after_b}), last = add(kCompute0, {b});
  backend.run(engine);
  EXPECT_THAT(order(), ElementsAre(first, a, b, after_b, after_a, after_both, last));
}

TEST_F(EngineTest, WhatIsIssuedBehindAnUnissuedOneWaitsForItsIssue) {
  const auto a = add(kCompute1), b = add(kCompute0, {a}), c = add(kCompute0, {b});
  EXPECT_FALSE(b->issued || c->issued);
  backend.step(engine);
  EXPECT_TRUE(b->issued && c->issued);
}

TEST_F(EngineTest, LanesOfOneDeviceMayKeepOrderThemselves) {
  backend.lanes_of_a_device_wait = true;
  const auto a = add(kCompute0), b = add(kUp0, {a});
  EXPECT_TRUE(b->issued);
  EXPECT_THAT(b->behind, ElementsAre(a));
}

TEST_F(EngineTest, AllOfSeveralAreWaitedFor) {
  const auto a = add(kCompute0), b = add(kCompute1), c = add(kUp0, {a, b});
  backend.step(engine);
  EXPECT_FALSE(c->issued);
  backend.step(engine);
  EXPECT_TRUE(c->issued);
}

TEST_F(EngineTest, TheSameNodeMayBeNamedTwice) {
  const auto a = add(kCompute0), b = add(kCompute1, {a, a});
  backend.run(engine);
  EXPECT_TRUE(b->ended);
}

TEST_F(EngineTest, WhatHasEndedIsNotWaitedFor) {
  const auto a = add(kCompute0);
  backend.run(engine);
  const auto b = add(kCompute1, {a});
  EXPECT_TRUE(b->issued);
}

TEST_F(EngineTest, IndependentLanesOverlap) {
  backend.duration = [](const Node&) { return 10; };
  const auto a = add(kCompute0), b = add(kCompute1);
  backend.run(engine);
  EXPECT_EQ(backend.now(), 10u);
}

TEST_F(EngineTest, JoinsEndWithTheLastThatTheyComeAfter) {
  const auto a = add(kCompute0), b = add(kCompute1), all = join({a, b});
  EXPECT_FALSE(all->ended);
  backend.step(engine);
  EXPECT_FALSE(all->ended);
  backend.step(engine);
  EXPECT_TRUE(all->ended);
  EXPECT_EQ(backend.issued(), 2u) << "the backend never sees a join";
}

TEST_F(EngineTest, JoinsOfNothingEndAtOnce) { EXPECT_TRUE(join({})->ended); }

TEST_F(EngineTest, WhatComesAfterAJoinWaitsForItsEnd) {
  const auto a = add(kCompute0), all = join({a}), b = add(kCompute0, {all});
  EXPECT_FALSE(b->issued) << "a join has no lane to stand in";
  backend.run(engine);
  EXPECT_TRUE(b->ended);
}

TEST_F(EngineTest, AnOperationThatDoesNotStartHasEndedWithItsError) {
  backend.fail_issue(0, CL_OUT_OF_RESOURCES);
  const auto a = add(kCompute0), b = add(kCompute1, {a});
  EXPECT_TRUE(a->ended);
  EXPECT_EQ(status_of(a), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(b->issued) << "its bytes are what they are, but nothing hangs";
}

TEST_F(EngineTest, ThirdOfFiveFailsAndTheOthersEnd) {
  backend.fail_end(2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  std::vector<NodePtr> chain{add(kCompute0)};
  for (int i = 1; i < 5; ++i) chain.push_back(add(i % 2 ? kCompute1 : kCompute0, {chain.back()}));
  backend.run(engine);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(chain[i]), i == 2 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS);
}

TEST_F(EngineTest, WhatEndedNodesHeldIsGivenBackOnce) {
  struct SomeOwner final : Owner {};
  auto held = std::make_shared<int>(0);
  auto owner = std::make_shared<SomeOwner>();
  auto node = std::make_shared<Node>(kCompute0, HostCall{[held] { return CL_SUCCESS; }}, 0);
  node->owner = owner;
  engine.add(node, {});
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_EQ(owner.use_count(), 2);
  backend.run(engine);
  EXPECT_EQ(held.use_count(), 2) << "not destroyed under the lock";
  EXPECT_EQ(owner.use_count(), 2) << "not destroyed under the lock";
  EXPECT_EQ(engine.take_ended().size(), 1u);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_THAT(engine.take_ended(), IsEmpty());
}

TEST_F(EngineTest, MoreMayBeEnteredWhenOneEnds) {
  NodePtr second;
  auto first = std::make_shared<Node>(kCompute0, HostCall{[] { return CL_SUCCESS; }}, 0);
  at_end = [&](const Node& node, cl_int) {
    if (&node == first.get()) second = add(kCompute0);
  };
  engine.add(first, {});
  backend.run(engine);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->ended);
}

TEST_F(EngineTest, LongChainsNeedNoStack) {
  // All wait for one that ends late; then each fails at its issue and lets the next go.
  SimulatedBackend late;
  Engine chain(late, [](const Node&, cl_int) {});
  std::vector<NodePtr> all;
  NodePtr last = std::make_shared<Node>(kCompute1, HostCall{[] { return CL_SUCCESS; }}, 0);
  chain.add(last, {});
  for (size_t i = 0; i < 100'000; ++i) {
    late.fail_issue(i, CL_OUT_OF_RESOURCES);
    auto node = std::make_shared<Node>(i % 2 ? kCompute1 : kCompute0, HostCall{[] { return CL_SUCCESS; }}, 0);
    chain.add(node, std::vector{last});
    all.push_back(node);
    last = node;
  }
  late.run(chain);
  EXPECT_EQ(chain.open(), 0u);
  EXPECT_TRUE(all.back()->ended);
}

// Whatever the order and the lanes: an operation begins after all that it comes after have ended, in the lane's order.
TEST_F(EngineTest, RandomGraphsKeepTheirOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    SimulatedBackend simulated;
    simulated.lanes_of_a_device_wait = random() % 2;
    simulated.duration = [&](const Node&) { return 1 + random() % 20; };
    Engine graph(simulated, [](const Node&, cl_int) {});
    std::vector<NodePtr> nodes;
    std::map<NodePtr, std::vector<NodePtr>> after;
    for (int i = 0; i < 60; ++i) {
      const Lane lane{static_cast<LaneKind>(random() % 4), static_cast<unsigned>(random() % 3)};
      auto node = std::make_shared<Node>(lane, HostCall{[] { return CL_SUCCESS; }}, 0);
      for (unsigned k = random() % 4; k > 0 && !nodes.empty(); --k)
        after[node].push_back(nodes[random() % nodes.size()]);
      graph.add(node, after[node]);
      nodes.push_back(node);
      if (random() % 5 == 0 && simulated.running()) simulated.step(graph);
    }
    simulated.run(graph);
    ASSERT_EQ(graph.open(), 0u);
    std::map<NodePtr, SimulatedBackend::Entry> ran;
    for (const auto& entry : simulated.history) ran[entry.node] = entry;
    for (const auto& node : nodes) {
      for (const auto& before : after[node]) ASSERT_GE(ran[node].began, ran[before].ended) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace samcl::engine
