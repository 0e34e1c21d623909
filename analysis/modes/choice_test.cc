#include "analysis/modes/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/generator/draw.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/modes/remedy.h"
#include "analysis/sim/testing/random_set.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;

constexpr Form kForms[] = {Form::gpu_sam, Form::gpu_sparc, Form::safe};

Stage on(Resource resource, std::vector<Time> worst) { return {resource, std::move(worst), {}}; }

// Every combination of the modes the form knows.
bool any_schedulable(const TaskSet& set, Form form) {
  const auto known = modes_of(set.platform, form);
  ResponseTimeAnalysis analysis(set, form);
  std::vector<size_t> place(set.tasks.size(), 0);
  while (true) {
    Modes modes;
    for (const size_t n : place) modes.push_back(known[n]);
    if (check(set, modes) && analysis.worst_ratio(modes) <= 1) return true;
    size_t i = 0;
    while (i < place.size() && ++place[i] == known.size()) place[i++] = 0;
    if (i == place.size()) return false;
  }
}

// A choice is what it says, by an analysis of its own.
void expect_true(const TaskSet& set, Form form, const Choice& choice) {
  ASSERT_TRUE(check(set, choice.modes).has_value());
  EXPECT_EQ(choice.schedulable, analyse(set, choice.modes, form).schedulable);
  EXPECT_FALSE(choice.schedulable && choice.impossible);
  ResponseTimeAnalysis analysis(set, form);
  EXPECT_EQ(choice.ratio, analysis.worst_ratio(choice.modes));
  Modes modes = choice.start;
  EXPECT_EQ(choice.start_ratio, analysis.worst_ratio(modes));
  for (const ModeStep& step : choice.steps) {
    EXPECT_NE(modes[step.task], step.mode);
    modes[step.task] = step.mode;
    EXPECT_EQ(step.ratio, analysis.worst_ratio(modes));
  }
  EXPECT_EQ(modes, choice.modes);
}

// One GPU stage that two GPUs do in 60 each; GPU-SAM's Y charges half of the other subtask: r = 60 + 30.
TaskSet one_task(Time deadline) {
  TaskSet set;
  set.platform = {1, 1, 2};
  set.tasks.push_back({"P1", 200, deadline, {}, {on(Resource::gpu, {100, 60})}});
  return set;
}

TEST(Single, GivesEveryTaskOneGpu) {
  EXPECT_THAT(choose_modes(one_task(100), Form::gpu_sam, ModePolicy::single).modes, ElementsAre(1));
  EXPECT_TRUE(choose_modes(one_task(100), Form::gpu_sam, ModePolicy::single).schedulable);
  EXPECT_FALSE(choose_modes(one_task(99), Form::gpu_sam, ModePolicy::single).schedulable);
}

TEST(Local, TakesEachTasksLeastSumOfExecutionTimes) {
  TaskSet set;
  set.platform = {1, 1, 3};
  set.tasks.push_back({"P1", 500, 500, {}, {on(Resource::link, {10, 30, 60}), on(Resource::gpu, {90, 45, 30})}});
  set.tasks.push_back({"P2", 600, 600, {}, {on(Resource::link, {5, 6, 7}), on(Resource::gpu, {90, 45, 30})}});
  set.tasks.push_back({"P3", 700, 700, {}, {on(Resource::link, {50, 99, 150}), on(Resource::gpu, {90, 45, 30})}});
  set.tasks.push_back({"P4", 800, 800, {}, {on(Resource::cpu, {50, 50, 50})}});
  EXPECT_THAT(choose_modes(set, Form::gpu_sam, ModePolicy::local).modes, ElementsAre(2, 3, 1, 1));
}

TEST(Gema, SwitchesTheTaskThatLeavesTheLeastRatio) {
  const Choice choice = choose_modes(one_task(95), Form::gpu_sam, ModePolicy::gema);
  EXPECT_TRUE(choice.schedulable);
  EXPECT_THAT(choice.start, ElementsAre(1));
  ASSERT_EQ(choice.steps.size(), 1);
  EXPECT_EQ(choice.steps[0].mode, 2);
  EXPECT_DOUBLE_EQ(choice.steps[0].ratio, 90.0 / 95);
}

// 60 + 30 is more than 80, too.
TEST(Gema, EndsOnAllGpusWhereNothingHelps) {
  TaskSet set = one_task(80);
  set.tasks[0].stages[0].worst = {81, 60};
  const Choice choice = choose_modes(set, Form::gpu_sam, ModePolicy::gema);
  EXPECT_FALSE(choice.schedulable);
  EXPECT_THAT(choice.modes, ElementsAre(2)) << "though 81/80 was less";
  EXPECT_DOUBLE_EQ(choice.ratio, 90.0 / 80);
}

// Two tasks, each alone fastest on two GPUs (80 to 85), but then P2's transfer of 50 blocks P1.
TaskSet costly_transfers() {
  TaskSet set;
  set.platform = {1, 1, 2};
  set.tasks.push_back({"P1", 300, 120, {}, {on(Resource::link, {5, 20}), on(Resource::gpu, {80, 40})}});
  set.tasks.push_back({"P2", 300, 300, {}, {on(Resource::link, {5, 50}), on(Resource::gpu, {80, 30})}});
  return set;
}

// P1 in mode 2: PCI 20 + (50 - 1), GPU 40 + 20 + (30 - 1 + 30 - 1) / 2 = 158; with P2 in mode 1:
// PCI 20 + 4, GPU 40 + 20 + ceil(79 / 2) = 124; both in mode 1: PCI 5 + 4, GPU 80 + ceil(79 / 2) = 129;
// P1 alone in mode 1: PCI 5 + 49, GPU 80 + (29 + 29) / 2 = 163.
TEST(Gpa, StartsFromTheFastestModesAndFixesOneTaskAStep) {
  const Choice choice = choose_modes(costly_transfers(), Form::gpu_sam, ModePolicy::gpa);
  EXPECT_THAT(choice.start, ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(choice.start_ratio, 158.0 / 120);
  ASSERT_EQ(choice.steps.size(), 1);
  EXPECT_EQ(choice.steps[0].task, 1);
  EXPECT_EQ(choice.steps[0].mode, 1);
  EXPECT_DOUBLE_EQ(choice.steps[0].ratio, 124.0 / 120);
  EXPECT_THAT(choice.modes, ElementsAre(2, 1));
  EXPECT_FALSE(choice.schedulable);
}

// 81 and 54 + 27 are equal: the printed algorithm takes the first it meets.
TEST(Gpa, TakesTheFirstOfEquals) {
  TaskSet set = one_task(80);
  set.tasks[0].stages[0].worst = {81, 54};
  const Choice choice = choose_modes(set, Form::gpu_sam, ModePolicy::gpa);
  EXPECT_THAT(choice.start, ElementsAre(2));
  EXPECT_THAT(choice.modes, ElementsAre(1));
}

TEST(Optimal, ProvesThatThereIsNothingToFind) {
  TaskSet set = costly_transfers();
  EXPECT_TRUE(choose_modes(set, Form::gpu_sam, ModePolicy::optimal).impossible);
  set.tasks[0].deadline = 124;
  const Choice choice = choose_modes(set, Form::gpu_sam, ModePolicy::optimal);
  EXPECT_TRUE(choice.schedulable);
  EXPECT_THAT(choice.modes, ElementsAre(2, 1));
}

class SmallSets : public testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, SmallSets, testing::ValuesIn(kForms));

void expect_optimal(const Shape& shape, int sets, Form form) {
  const uint64_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int found = 0, none = 0, better = 0;
  for (int n = 0; n < sets; ++n) {
    SCOPED_TRACE("set " + std::to_string(n));
    const SmallSet small = random_set(shape, random);
    const Choice choice = choose_modes(small.set, form, ModePolicy::optimal);
    const bool any = any_schedulable(small.set, form);
    EXPECT_EQ(choice.schedulable, any);
    EXPECT_EQ(choice.impossible, !any);
    (any ? found : none) += 1;
    better += any && !choose_modes(small.set, form, ModePolicy::single).schedulable ? 1 : 0;
  }
  EXPECT_GT(found, sets / 15);
  EXPECT_GT(none, sets / 15);
  EXPECT_GT(better, sets / 150);
}

TEST_P(SmallSets, OptimalAgreesWithEveryCombination) { expect_optimal(Shape(), 1500, GetParam()); }

TEST(BoundSets, OptimalAgreesWithEveryCombination) {
  Shape shape;
  shape.bound = true;
  expect_optimal(shape, 1000, Form::safe);
}

TEST(BoundSets, EveryChoiceIsWhatItSays) {
  Random random(12);
  Shape shape;
  shape.bound = true;
  for (int n = 0; n < 100; ++n) {
    const SmallSet small = random_set(shape, random);
    for (const ModePolicy policy : kPolicies)
      expect_true(small.set, Form::safe, choose_modes(small.set, Form::safe, policy));
  }
}

TEST_P(SmallSets, EveryChoiceIsWhatItSays) {
  const uint64_t seed = 12;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int n = 0; n < 300; ++n) {
    const SmallSet small = random_set(Shape(), random);
    for (const ModePolicy policy : kPolicies) {
      SCOPED_TRACE("set " + std::to_string(n) + ", " + name(policy));
      expect_true(small.set, GetParam(), choose_modes(small.set, GetParam(), policy));
    }
  }
}

TEST_P(SmallSets, APolicyThatGoesOnFromAnotherFindsAtLeastAsMuch) {
  Random random(13);
  for (int n = 0; n < 500; ++n) {
    SCOPED_TRACE("seed 13, set " + std::to_string(n));
    const SmallSet small = random_set(Shape(), random);
    const auto found = [&](ModePolicy policy) { return choose_modes(small.set, GetParam(), policy).schedulable; };
    EXPECT_LE(found(ModePolicy::single), found(ModePolicy::gema));
    EXPECT_LE(found(ModePolicy::local), found(ModePolicy::gpa));
    EXPECT_LE(found(ModePolicy::single), found(ModePolicy::search));
    EXPECT_LE(found(ModePolicy::gpa), found(ModePolicy::search));
    EXPECT_LE(found(ModePolicy::search), found(ModePolicy::optimal));
  }
}

TEST(PaperSets, EveryChoiceIsWhatItSaysAndOptimalFindsTheMost) {
  PaperSet wanted;
  wanted.classes = true;
  wanted.most_share = 0.5;
  wanted.dependency = 0.2;
  wanted.gpu_utilisation = 0.6;
  for (uint64_t n = 0; n < 40; ++n)
    for (const Form form : kForms) {
      const TaskSet set = paper_set(wanted, n);
      const bool possible = choose_modes(set, form, ModePolicy::optimal).schedulable;
      for (const ModePolicy policy : kPolicies) {
        SCOPED_TRACE("seed " + std::to_string(n) + ", " + name(policy));
        const Choice choice = choose_modes(set, form, policy);
        expect_true(set, form, choice);
        EXPECT_LE(choice.schedulable, possible);
      }
    }
}

TEST(Policies, OnOneGpuThereIsOneChoice) {
  TaskSet set = one_task(100);
  set.platform.gpus = 1;
  set.tasks[0].stages[0].worst = {100};
  for (const Form form : kForms)
    for (const ModePolicy policy : kPolicies) EXPECT_THAT(choose_modes(set, form, policy).modes, ElementsAre(1));
}

TEST(Policies, AnUnboundedSetHasAChoiceToo) {
  TaskSet set = one_task(100);
  set.tasks.push_back({"P2", 100, 100, {}, {on(Resource::link, {101, 102})}});
  set.tasks.push_back({"P3", 100, 100, {}, {on(Resource::link, {101, 102})}});
  for (const Form form : kForms)
    for (const ModePolicy policy : kPolicies) {
      const Choice choice = choose_modes(set, form, policy);
      EXPECT_EQ(choice.modes.size(), 3);
      EXPECT_FALSE(choice.schedulable);
    }
}

// P1 needs 90 of 80: at 88% its two subtasks take 52 each, 52 + 26 = 78; at 89% 53 + 27 = 80; at 90% 54 + 27.
TEST(Remedy, TellsHowMuchOfATasksTimesMayRemain) {
  const Remedy remedy = find_remedy(one_task(80), Form::gpu_sam);
  EXPECT_EQ(remedy.of_all, 89);
  EXPECT_THAT(remedy.of_task, ElementsAre(std::optional(89)));
}

TEST(Remedy, IsNoneWhereATaskCannotHelp) {
  TaskSet set = one_task(80);
  set.tasks.push_back({"P2", 300, 300, {}, {on(Resource::cpu, {10, 10})}});
  const Remedy remedy = find_remedy(set, Form::gpu_sam);
  EXPECT_EQ(remedy.of_task[1], std::nullopt);
}

}  // namespace
}  // namespace samcl::analysis
