#include "analysis/modes/transition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "analysis/rta/response_time.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Time kUnknown = -1;

Time bound_of(const ModalTasks& modal, size_t task) {
  const TaskBound bound = analyse(modal.set, modal.modes, Form::safe).tasks[task];
  return bound.proven ? bound.response : kUnknown;
}

// Two GPUs with their links. "first" on GPU 0 or both, "second" on GPU 1 or 0.
ModalTasks two_tasks(Modes modes, std::vector<int> second) {
  ModalTasks modal;
  modal.set.platform = {1, 2, 2, true};
  modal.set.tasks = {{"first", 20, 20, 2, {{Resource::gpu, {6, 4}, {}}}, {0, 1}},
                     {"second", 20, 20, 1, {{Resource::gpu, {7, 5}, {}}}, std::move(second)}};
  modal.modes = std::move(modes);
  return modal;
}

TEST(Transition, EveryStageIsTheLongerOfBothOnAllDevicesOfBoth) {
  const auto both = either(two_tasks({1, 1}, {1}), two_tasks({2, 1}, {0}));
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_THAT(both->modes, ElementsAre(2, 2));
  EXPECT_THAT(both->set.tasks[0].stages[0].worst, ElementsAre(6, 6));
  EXPECT_THAT(both->set.tasks[1].stages[0].worst, ElementsAre(7, 7));
  EXPECT_THAT(both->set.tasks[1].devices, ElementsAre(0, 1));
}

TEST(Transition, BoundsOfNeitherChoiceHoldWhileModesChange) {
  // "first" leaves device 1, and "second" goes there.
  const ModalTasks before = two_tasks({2, 1}, {0}), after = two_tasks({1, 1}, {1});
  const auto both = either(before, after);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(bound_of(before, 1), 4 + 7);
  EXPECT_EQ(bound_of(after, 1), 7);
  EXPECT_EQ(bound_of(*both, 1), 6 + 7);
  // "first" is still on both; "second" begins on its new one.
  const BehaviourPlan plan{{{{0, {{4, 4}}}}, {{0, {{0, 7}}}}}, {}};
  EXPECT_EQ(play(both->set, priority_order(both->set), both->modes, plan).longest[1], 11);
}

TEST(Transition, StagesTakeTogetherWhatTheyDoInEither) {
  ModalTasks before = two_tasks({1, 1}, {1}), after = two_tasks({2, 1}, {1});
  for (ModalTasks* modal : {&before, &after}) modal->set.tasks[0].stages.push_back({Resource::cpu, {3, 4}, {}});
  after.set.tasks[0].work = {6, 5};
  EXPECT_EQ(either(before, after)->set.tasks[0].work_in(1), 6 + 3) << "of the one before nothing is known";
  before.set.tasks[0].work = {7, 5};
  EXPECT_EQ(either(before, after)->set.tasks[0].work_in(1), 7);
  EXPECT_EQ(either(after, before)->set.tasks[0].work_in(1), 7);
}

TEST(Transition, IdleWhenOneJobOfEachAndWhatCameSinceIsDone) {
  ModalTasks modal = two_tasks({1, 1}, {1});  // 6 and 7 of 20
  EXPECT_EQ(idle_within(modal, std::vector<Time>{0, 0}), 2 * 6 + 2 * 7 + 6 + 7) << "one under way, and two more";
  EXPECT_EQ(idle_within(modal, std::vector<Time>{0, 8}), std::nullopt) << "21 of 20";
  modal.modes = {2, 1};
  EXPECT_EQ(idle_within(modal, std::vector<Time>{0, 0}), 3 * 8 + 3 * 7 + 8 + 7) << "both subtasks of the first";
}

TEST(Transition, OfNoChangeItIsTheSame) {
  const ModalTasks now = two_tasks({1, 1}, {1});
  const auto both = either(now, now);
  ASSERT_TRUE(both) << both.error().message;
  for (size_t task : {0u, 1u}) EXPECT_EQ(bound_of(*both, task), bound_of(now, task));
}

TEST(Transition, WhoLeavesIsStillInTheWayOfWhoComes) {
  ModalTasks before = two_tasks({1, 1}, {0}), after = before;
  before.set.tasks.pop_back();
  before.modes.pop_back();
  after.set.tasks.erase(after.set.tasks.begin());
  after.modes.pop_back();
  const auto both = either(before, after);
  ASSERT_TRUE(both) << both.error().message;
  ASSERT_EQ(both->set.tasks.size(), 2U);
  EXPECT_EQ(both->set.tasks[0].name, "second");
  EXPECT_EQ(bound_of(*both, 0), 6 + 7);
}

TEST(Transition, WhatCannotBeOneTaskIsNamed) {
  const ModalTasks before = two_tasks({1, 1}, {0});
  ModalTasks after = before;
  after.set.tasks[1].stages.push_back({Resource::cpu, {1, 1}, {}});
  EXPECT_THAT(either(before, after).error().message, HasSubstr("task \"second\", stages: others than before"));
  after = before;
  after.set.tasks[0].priority = 7;
  EXPECT_THAT(either(before, after).error().message, HasSubstr("task \"first\", priority: another one"));
  after = before;
  after.set.platform.cpus = 3;
  EXPECT_THAT(either(before, after).error().message, HasSubstr("platform: another one"));
}

// Budgets of the one before are enforced as they were until its jobs are over.
TEST(Transition, WhatIsEnforcedIsSoAsLateAndAsEarlyAsInEither) {
  ModalTasks enforced = two_tasks({1, 1}, {0});
  Task& first = enforced.set.tasks[0];
  enforced.set.tasks[1].period = enforced.set.tasks[1].deadline = 100;
  first.period = first.deadline = 64;
  first.late = 1;
  first.late_lease = 3;
  first.early = 10;
  for (const bool is_less : {false, true}) {
    ModalTasks other = enforced;
    other.set.tasks[0].late_lease = is_less ? 0 : 5;
    other.set.tasks[0].early = is_less ? 0 : 12;
    for (const auto& [before, after] : {std::pair{&enforced, &other}, {&other, &enforced}}) {
      const auto both = either(*before, *after);
      ASSERT_TRUE(both) << both.error().message;
      const Task& task = both->set.tasks[0];
      EXPECT_EQ(task.late_lease, is_less ? 3 : 5);
      EXPECT_EQ(task.tolerated(), is_less ? 10 : 12);
      EXPECT_GE(bound_of(*both, 1), std::max(bound_of(*before, 1), bound_of(*after, 1)));
    }
  }
}

TEST(Transition, JobsOfALongPeriodMaySeemAsEarlyAsBeforeWithAShortOne) {
  ModalTasks before = two_tasks({1, 1}, {0}), after = before;
  for (ModalTasks* modal : {&before, &after}) modal->set.tasks[0].late = 1;
  before.set.tasks[0].period = before.set.tasks[0].deadline = 160;
  for (const auto& [one, other] : {std::pair{&before, &after}, {&after, &before}}) {
    const auto both = either(*one, *other);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->set.tasks[0].period, 20);
    EXPECT_EQ(both->set.tasks[0].tolerated(), 10);
  }
}

// The job in `mode`, on `devices` where they are bound, as a job of the task in the mode of both.
void run_in(const TaskSet& set, const Task& task, int mode, const std::vector<int>& devices, const Task& both,
            int both_mode, Random& random, PlannedJob& job) {
  job.execution.clear();
  job.pauses.clear();
  for (size_t j = 0; j < task.stages.size(); ++j) {
    const Stage& stage = task.stages[j];
    const int count = set.platform.subtasks(stage, mode);
    std::vector<Time> times(static_cast<size_t>(set.platform.subtasks(both.stages[j], both_mode)), 0);
    for (int k = 0; k < count; ++k) {
      const bool placed = set.platform.bound && stage.resource != Resource::cpu;
      const auto where = placed ? std::find(both.devices.begin(), both.devices.end(), devices[static_cast<size_t>(k)]) -
                                      both.devices.begin()
                                : k;
      times[static_cast<size_t>(where)] =
          std::uniform_int_distribution<Time>(0, 1)(random) == 0 ? stage.worst_in(mode) : stage.best_in(mode);
    }
    job.execution.push_back(std::move(times));
  }
}

// A plan in which each task's jobs are in its old mode up to some one, and in the new one from then on.
struct ModeChange {
  const ModalTasks& before;
  const ModalTasks& after;
  const ModalTasks& both;
  const Bounds& now;   // of `before`
  const Bounds& then;  // of `after`
  BehaviourPlan plan = {};
  std::vector<size_t> first_new = {};  // job, by task

  void run(size_t task, size_t job, Random& random) {
    const bool old = job < first_new[task];
    const ModalTasks& modal = old ? before : after;
    run_in(both.set, modal.set.tasks[task], modal.modes[task], (old ? now : then).tasks[task].devices,
           both.set.tasks[task], both.modes[task], random, plan.jobs[task][job]);
  }
  void draw(Random& random) {
    plan = random_plan(both.set, both.modes, 4, random);
    first_new.clear();
    for (size_t i = 0; i < plan.jobs.size(); ++i) {
      first_new.push_back(std::uniform_int_distribution<size_t>(0, plan.jobs[i].size())(random));
      for (size_t job = 0; job < plan.jobs[i].size(); ++job) run(i, job, random);
    }
  }
  // One thing in the plan, or the job from which on a task is in its new mode.
  void change(Random& random) {
    if (std::uniform_int_distribution<int>(0, 2)(random) > 0) {
      const BehaviourPlan old = std::exchange(plan, mutated(both.set, both.modes, plan, random));
      for (size_t i = 0; i < plan.jobs.size(); ++i)
        for (size_t job = 0; job < plan.jobs[i].size(); ++job)
          if (job >= old.jobs[i].size() || plan.jobs[i][job].execution != old.jobs[i][job].execution ||
              !plan.jobs[i][job].pauses.empty())
            run(i, job, random);
      return;
    }
    const size_t i = std::uniform_int_distribution<size_t>(0, plan.jobs.size() - 1)(random);
    first_new[i] = std::uniform_int_distribution<size_t>(0, plan.jobs[i].size())(random);
    for (size_t job = 0; job < plan.jobs[i].size(); ++job) run(i, job, random);
  }
};

// At random, and the worst of these changed step by step.
TEST(Transition, BoundsHoldInSimulationsOfChanges) {
  const TestSeed seed;
  const int64_t wanted = test_sets(500);
  Random random(seed);
  int64_t bounds = 0, attained = 0, beyond_new = 0;
  for (int64_t round = 0; round < wanted; ++round) {
    const SmallSet small =
        random_set({4, 3, 3, 60, true, true, round % 2 == 0, 1, false, 1 + static_cast<int>(round % 3)}, random);
    const TaskSet& set = small.set;
    ModalTasks before{set, small.modes}, after = before;
    for (size_t i = 0; i < set.tasks.size(); ++i)
      after.modes[i] = std::uniform_int_distribution<int>(1, set.tasks[i].largest_mode(set.platform))(random);
    const auto both = either(before, after);
    ASSERT_TRUE(both) << both.error().message;
    const Bounds bound = analyse(both->set, both->modes, Form::safe);
    const Bounds then = analyse(after.set, after.modes, Form::safe);
    const Bounds now = analyse(before.set, before.modes, Form::safe);
    std::vector<Time> longest(set.tasks.size(), 0);
    ModeChange drawn{before, after, *both, now, then};
    drawn.draw(random);
    std::vector<std::pair<BehaviourPlan, std::vector<size_t>>> worst(set.tasks.size(), {drawn.plan, drawn.first_new});
    const auto attempt = [&] {
      const auto seen = play(both->set, priority_order(both->set), both->modes, drawn.plan).longest;
      for (size_t i = 0; i < seen.size(); ++i) {
        if (seen[i] < longest[i]) continue;
        longest[i] = seen[i];
        worst[i] = {drawn.plan, drawn.first_new};
      }
    };
    for (int n = 0; n < 6; ++n) {
      drawn.draw(random);
      attempt();
    }
    for (size_t n = 0; n < 24; ++n) {
      std::tie(drawn.plan, drawn.first_new) = worst[n % worst.size()];
      drawn.change(random);
      attempt();
    }
    for (size_t i = 0; i < set.tasks.size(); ++i) {
      if (!bound.tasks[i].proven) continue;
      ++bounds;
      ASSERT_LE(longest[i], bound.tasks[i].response) << "round " << round << ", task " << i;
      attained += longest[i] == bound.tasks[i].response ? 1 : 0;
      if (then.tasks[i].proven && now.tasks[i].proven &&
          longest[i] > std::max(then.tasks[i].response, now.tasks[i].response))
        ++beyond_new;
    }
  }
  std::cout << bounds << " bounds held, " << attained << " attained, " << beyond_new
            << " tasks beyond their bounds of before and after\n";
  EXPECT_GT(bounds, wanted);
  EXPECT_GT(beyond_new, 0);
}

}  // namespace
}  // namespace samcl::analysis
