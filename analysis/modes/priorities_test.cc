#include "analysis/modes/priorities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/sim/testing/random_set.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;

bool any_order_schedulable(const TaskSet& set, Form form) {
  PriorityOrder order(set.tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    if (choose_modes(set, form, ModePolicy::optimal, order).schedulable) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

// Given in the wrong order: P2's deadline leaves no room for P1's 50.
TEST(Priorities, ATaskThatIsLateGoesUp) {
  TaskSet set;
  set.platform = {1, 1, 1};
  set.tasks.push_back({"P1", 200, 200, 2, {{Resource::cpu, {50}, {}}}});
  set.tasks.push_back({"P2", 100, 40, 1, {{Resource::cpu, {10}, {}}}});
  EXPECT_FALSE(choose_modes(set, Form::safe).schedulable);
  const Prioritised found = choose_priorities(set, Form::safe);
  EXPECT_TRUE(found.choice.schedulable);
  EXPECT_THAT(found.order, ElementsAre(1, 0));
}

TEST(Priorities, AScheduableOrderIsKept) {
  TaskSet set;
  set.platform = {1, 1, 1};
  set.tasks.push_back({"P1", 200, 200, 2, {{Resource::cpu, {50}, {}}}});
  set.tasks.push_back({"P2", 100, 90, 1, {{Resource::cpu, {10}, {}}}});
  EXPECT_THAT(choose_priorities(set, Form::safe).order, ElementsAre(0, 1));
}

TEST(Priorities, AreNeverWorseThanTheStartAndMostlyAsGoodAsAnyOrder) {
  const uint64_t seed = 21;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int started = 0, found = 0, possible = 0;
  for (int n = 0; n < 300; ++n) {
    SCOPED_TRACE("set " + std::to_string(n));
    const SmallSet small = random_set(Shape(), random);
    const Prioritised best = choose_priorities(small.set, Form::safe);
    const bool start = choose_modes(small.set, Form::safe).schedulable;
    EXPECT_LE(start, best.choice.schedulable);
    EXPECT_EQ(best.choice.schedulable, analyse(small.set, best.choice.modes, Form::safe, best.order).schedulable);
    const bool any = any_order_schedulable(small.set, Form::safe);
    EXPECT_LE(best.choice.schedulable, any);
    started += start ? 1 : 0;
    found += best.choice.schedulable ? 1 : 0;
    possible += any ? 1 : 0;
  }
  EXPECT_GT(found, started);
  EXPECT_GE(found, possible * 97 / 100);
  RecordProperty("started", started);
  RecordProperty("found", found);
  RecordProperty("possible", possible);
}

}  // namespace
}  // namespace samcl::analysis
