#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/locking/gpu_queues.h"
#include "analysis/locking/simulator.h"
#include "analysis/locking/smlp.h"
#include "analysis/locking/testing/paper_example.h"
#include "analysis/locking/testing/random_set.h"
#include "analysis/locking/verdicts.h"

namespace samcl::analysis::locking {
namespace {

using testing::ElementsAre;

std::string complaint(const TaskSet& set) {
  const auto good = check(set);
  return good ? "none" : good.error().message;
}

TEST(LockingTaskSet, NonsenseIsNamedByTaskAndField) {
  EXPECT_EQ(complaint(paper_example()), "none");
  const auto broken = [](auto change) {
    TaskSet set = paper_example();
    change(set);
    return complaint(set);
  };
  EXPECT_EQ(broken([](TaskSet& set) { set.cpus = 0; }), "platform, cpus: 0, expected 1 to 64");
  EXPECT_EQ(broken([](TaskSet& set) { set.gpus = 65; }), "platform, gpus: 65, expected 1 to 64");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[1].name = "T1"; }), "task \"T1\", name: another task has it too");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].period = 0; }),
            "task \"T1\", period: 0 ns, expected 1 to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].cpu = INT64_MAX; }),
            "task \"T1\", cpu: 9223372036854775807 ns, expected 0 to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[2].gpu = -1; }),
            "task \"T3\", gpu: -1 ns, expected 0 to 35184372088832");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].cpu = 0; }), "task \"T1\", cpu and gpu: both 0, expected some work");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[2].section = 6; }),
            "task \"T3\", critical_section: 6 ns, expected gpu to cpu + gpu, 2 to 5");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].section = 1; }),
            "task \"T1\", critical_section: 1 ns, expected 0 where gpu is 0");
}

TEST(EffectiveUtilisation, CountsCriticalSectionsAsManyTimesSlower) {
  const TaskSet set = paper_example();
  EXPECT_DOUBLE_EQ(effective_utilisation(set.tasks[0], 16), 5.0 / 30);
  EXPECT_DOUBLE_EQ(effective_utilisation(set.tasks[2], 16), (1 + 16 * 4) / 30.0);
  EXPECT_DOUBLE_EQ(effective_utilisation(set, 1), 35.0 / 30);
}

TEST(ExactSum, DecidesWhereRoundingCannot) {
  ExactSum thirds;
  for (int n = 0; n < 3; ++n) thirds.add(1, 3);
  EXPECT_TRUE(thirds.at_most(1));
  EXPECT_EQ(thirds.ceiling(), 1);
  thirds.add(1, int64_t{1} << 62);
  EXPECT_FALSE(thirds.at_most(1));
  EXPECT_EQ(thirds.ceiling(), 2);
  // 1/a + 1/b + (ab - a - b)/(ab) for primes a and b that have no short binary fraction.
  constexpr int64_t a = 1'000'003, b = 998'244'353;
  ExactSum one;
  one.add(1, a);
  one.add(1, b);
  one.add(a * b - a - b, a * b);
  EXPECT_TRUE(one.at_most(1));
  one.add(1, INT64_MAX);
  EXPECT_FALSE(one.at_most(1));
}

// README of RealTimeScheduling.jl gives both bounds for this set.
TEST(Tardiness, OfTheTextbookExample) {
  const std::vector<Stream> streams = {stream(2, 3), stream(2, 3), stream(4, 6)};
  ExactSum total;
  for (int n = 0; n < 3; ++n) total.add(2, 3);
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::devi_anderson), ElementsAre(3, 3, 5));
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::compliant_vector), ElementsAre(3, 3, 4));
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::earlier_deadlines), ElementsAre(3, 3, 4));
}

// Deadlines 10 earlier: S = 15, Y = 0, x = (15 + G - 5) / 2 with G = x / 2.
TEST(Tardiness, IsLessWithEarlierDeadlinesWherePeriodsAreAlike) {
  const std::vector<Stream> streams(3, stream(5, 10));
  ExactSum total;
  for (int n = 0; n < 3; ++n) total.add(1, 2);
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::devi_anderson), ElementsAre(5, 5, 5));
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::compliant_vector), ElementsAre(5, 5, 5));
  EXPECT_THAT(tardiness(streams, total, 2, TardinessBound::earlier_deadlines), ElementsAre(2, 2, 2));
}

// Each of the three is the least for some task.
TEST(Tardiness, IsTheLeastOfAllBoundsTaskByTask) {
  Random random(2);
  std::array<int, 3> alone = {};
  for (int n = 0; n < 1000; ++n) {
    const TaskSet set = random_set({8, 4, 1, 60, 0.9, false}, random);
    std::vector<Stream> streams;
    ExactSum total;
    for (const Task& task : set.tasks) {
      streams.push_back(stream(task.execution(), task.period));
      total.add(task.execution(), task.period);
    }
    if (!total.at_most(set.cpus)) continue;
    std::array<std::vector<Time>, 3> late;
    for (size_t b = 0; b < 3; ++b) late[b] = tardiness(streams, total, set.cpus, static_cast<TardinessBound>(b));
    const std::vector<Time> least = tardiness(streams, total, set.cpus, TardinessBound::least);
    for (size_t i = 0; i < least.size(); ++i) {
      EXPECT_EQ(least[i], std::min({late[0][i], late[1][i], late[2][i]}));
      for (size_t b = 0; b < 3; ++b)
        alone[b] += late[b][i] < late[(b + 1) % 3][i] && late[b][i] < late[(b + 2) % 3][i] ? 1 : 0;
    }
  }
  for (const int count : alone) EXPECT_GT(count, 0);
}

TEST(Tardiness, IsNoneOnOneCpu) {
  const std::vector<Stream> streams = {stream(2, 3), stream(1, 3)};
  ExactSum total;
  total.add(1, 1);
  for (const auto bound :
       {TardinessBound::devi_anderson, TardinessBound::compliant_vector, TardinessBound::earlier_deadlines})
    EXPECT_THAT(tardiness(streams, total, 1, bound), ElementsAre(0, 0));
}

TEST(SharedResource, OfThePapersExample) {
  const auto verdict = analyse_shared_resource(paper_example(), Protocol::fmlp_long);
  EXPECT_TRUE(verdict.schedulable());
  EXPECT_EQ(verdict.tasks[0].blocking, 0);
  EXPECT_EQ(verdict.tasks[2].blocking, 16);
  EXPECT_EQ(verdict.tasks[2].demand, 21);
  EXPECT_NEAR(verdict.utilisation.value(), 3.83, 0.005);
}

TEST(SharedResource, NamesTheConditionThatFails) {
  TaskSet set = paper_example();
  set.tasks[6].period = 20;
  set.cpus = 5;
  const auto too_long = analyse_shared_resource(set, Protocol::fmlp_long);
  EXPECT_EQ(too_long.too_long, 6);
  EXPECT_TRUE(too_long.fits);
  EXPECT_FALSE(too_long.schedulable());
  set = paper_example();
  set.cpus = 3;
  const auto too_much = analyse_shared_resource(set, Protocol::fmlp_long);
  EXPECT_FALSE(too_much.too_long);
  EXPECT_FALSE(too_much.fits);
}

TEST(SharedResource, OmlpLimitsBlockingByTheNumberOfCpus) {
  TaskSet set{2, 1, {}};
  for (int n = 0; n < 20; ++n) set.tasks.push_back({"T" + std::to_string(n), 100, 1, 1, 1});
  set.tasks[0].gpu = set.tasks[0].section = 5;
  // The 3 longest of at least 2 of each: 5, 5, 1; for the task itself 1, 1, 1.
  const auto omlp = analyse_shared_resource(set, Protocol::omlp);
  EXPECT_EQ(omlp.tasks[1].blocking, 11);
  EXPECT_EQ(omlp.tasks[0].blocking, 3);
  EXPECT_FALSE(omlp.fits);  // 20 x 0.13
  EXPECT_EQ(analyse_shared_resource(set, Protocol::fmlp_long).tasks[1].blocking, 23);
}

TEST(SharedResource, OmlpIsFirstComeFirstServedForFewUsers) {
  TaskSet set = paper_example();
  set.cpus = 5;
  EXPECT_EQ(analyse_shared_resource(set, Protocol::omlp).tasks[2].blocking, 16);
  set.cpus = 4;  // the 7 longest of five users' sections
  EXPECT_EQ(analyse_shared_resource(set, Protocol::omlp).tasks[2].blocking, 28);
}

TEST(SharedResource, SeveralGpusDivideTheBlocking) {
  TaskSet set = paper_example();
  set.gpus = 2;
  EXPECT_EQ(analyse_shared_resource(set, Protocol::fmlp_long).tasks[2].blocking, 8);
  EXPECT_THAT(assign_gpus(set), ElementsAre(kNoGpu, kNoGpu, 0, 1, 0, 1, 0));
  EXPECT_EQ(analyse_shared_resource(set, Protocol::omlp).tasks[2].blocking, 8);
  EXPECT_EQ(analyse_shared_resource(set, Protocol::omlp).tasks[3].blocking, 4);
}

TEST(SharedResource, DonationDividesTheBlockingAndLimitsIt) {
  const auto blocking = [](const TaskSet& set, size_t task) {
    return analyse_shared_resource(set, Protocol::donation).tasks[task].blocking;
  };
  TaskSet set = paper_example();  // five users, sections of 4
  EXPECT_EQ(blocking(set, 0), 0);
  EXPECT_EQ(blocking(set, 2), 12 + 16);  // three in the queue, and four outside
  set.cpus = 5;                          // all users are candidates
  EXPECT_EQ(blocking(set, 2), 16);
  set.gpus = 2;  // two of the four are in the other queue
  EXPECT_EQ(blocking(set, 2), 8);
  set.gpus = 3;
  EXPECT_EQ(blocking(set, 2), 4);
  set.cpus = 4;  // more users than CPUs: one in the queue, and a donee with one in front of it
  EXPECT_EQ(blocking(set, 2), 4 + 8);
  for (int n = 0; n < 40; ++n) set.tasks.push_back({"more" + std::to_string(n), 1000, 1, 1, 1});
  EXPECT_EQ(blocking(set, 2), 4 + 8);  // whoever else uses GPUs
  EXPECT_EQ(analyse_shared_resource(set, Protocol::fmlp_long).tasks[2].blocking, (16 + 40) / 3);
}

TEST(SharedResource, DonationHasTheDoneesSectionAndWhatIsInFrontOfIt) {
  TaskSet set{2, 1, {}};
  for (int n = 0; n < 20; ++n) set.tasks.push_back({"T" + std::to_string(n), 100, 1, 1, 1});
  set.tasks[0].gpu = set.tasks[0].section = 5;
  const auto donation = analyse_shared_resource(set, Protocol::donation);
  EXPECT_EQ(donation.tasks[1].blocking, 5 + (5 + 1));
  EXPECT_EQ(donation.tasks[0].blocking, 1 + (1 + 1));  // its own is in front of nobody it waits for
}

TEST(SharedResource, DonationIsNoWorseThanTheOmlpOnOneGpu) {
  Random random(1);
  for (int n = 0; n < 500; ++n) {
    const TaskSet set = random_set({10, 4, 1, 60, 1.5, false}, random);
    const auto donation = donation_blocking(set);
    const auto omlp = omlp_blocking(set, assign_gpus(set), std::vector<Time>(set.tasks.size(), 0));
    for (size_t i = 0; i < donation.size(); ++i) EXPECT_LE(donation[i], omlp[i]);
  }
}

// Eq. (3): 2m - 1 times the longest section, of 5; of the others at most three jobs have it, all else is 4.
TEST(SharedResource, EquationThreeIsLoose) {
  TaskSet set = paper_example();
  set.tasks[6].section = 5;
  const Verdicts verdicts = analyse(set);
  EXPECT_THAT(verdicts.loose_omlp, ElementsAre(0, 0, 35, 35, 35, 35, 35));
  EXPECT_LE(verdicts.shared_resource[1].tasks[2].blocking, 3 * 5 + 4 * 4);
}

// The paper: about 0.67 for the shared resource method.
TEST(SharedResource, GpuUtilisationOfThePapersExample) {
  EXPECT_NEAR(analyse(paper_example()).gpu_utilisation.value(), 2.0 / 3, 1e-12);
}

TEST(SharedResource, SchedulableSetsKeepToInequalityThirteenAndToEquationThree) {
  Random random(3);
  int schedulable = 0;
  for (int n = 0; n < 1000; ++n) {
    const TaskSet set = random_set({10, 4, 2, 60, 1.5, false}, random);
    const Verdicts verdicts = analyse(set);
    for (size_t i = 0; i < set.tasks.size(); ++i)
      EXPECT_LE(verdicts.shared_resource[1].tasks[i].blocking, verdicts.loose_omlp[i]);
    if (!verdicts.by_shared_resource()) continue;
    ++schedulable;
    EXPECT_TRUE(verdicts.gpu_utilisation.at_most(set.gpus));
  }
  EXPECT_GT(schedulable, 50);
}

TEST(GpuQueues, ADonorWaitsForItsDonee) {
  TaskSet set{2, 1, {}};
  for (int n = 0; n < 4; ++n) set.tasks.push_back({"T" + std::to_string(n), 100, 1, 1, 1});
  GpuQueues queues(set, Protocol::donation);
  const Priority late{90, 0}, later{95, 1}, urgent{10, 2}, more_urgent{5, 3};
  queues.arrive(late);
  queues.arrive(later);
  queues.request(later);  // holds the GPU
  queues.request(late);   // behind it
  queues.arrive(urgent);  // displaces `later`, and is its donor
  queues.request(urgent);
  EXPECT_TRUE(queues.holds(later.task));
  EXPECT_FALSE(queues.holds(urgent.task));
  EXPECT_EQ(queues.inherited(later.task).task, urgent.task);
  queues.arrive(more_urgent);  // displaces `late`, whose donor it is
  queues.release(later.task);
  queues.leave(later.task);
  EXPECT_TRUE(queues.holds(late.task));  // `urgent` has joined behind it
  EXPECT_EQ(queues.inherited(late.task).task, urgent.task);
  queues.request(more_urgent);
  EXPECT_EQ(queues.inherited(late.task).task, more_urgent.task);
  queues.release(late.task);
  EXPECT_TRUE(queues.holds(urgent.task));
}

// Blocking as CPU load would be 30 x 0.3.
TEST(SuspensionAware, DoesNotCountWaitingAsLoad) {
  constexpr Time us = 1000;
  TaskSet set{3, 1, {}};
  for (int n = 0; n < 30; ++n) set.tasks.push_back({"T" + std::to_string(n), 1000 * us, 10 * us, 5 * us, 10 * us});
  EXPECT_FALSE(analyse_shared_resource(set, Protocol::fmlp_long).schedulable());
  const auto verdict = analyse_suspension_aware(set);
  EXPECT_TRUE(verdict.schedulable());
  EXPECT_NEAR(verdict.utilisation.value(), 0.3, 1e-12);
  EXPECT_EQ(verdict.tasks[0].demand, (10 + 5 + 29 * 10) * us);
  // late = L / 2 / (1 - 0.305) + 305 us, L = 30 (10 us + 0.01 (late - 10 us)): 661422 ns, and rounding, 30
  // times.
  EXPECT_NEAR(static_cast<double>(verdict.tasks[0].late), 661'440, 20);
}

TEST(SuspensionAware, NamesTheConditionThatFails) {
  TaskSet set{2, 1, {{"a", 10, 4, 3, 5}, {"b", 10, 4, 3, 5}}};
  EXPECT_EQ(analyse_suspension_aware(set).too_long, 0);  // 4 + 3 + 5
  set.tasks[1].section = set.tasks[1].gpu = 1;
  set.tasks[0].section = 4;
  const auto grows = analyse_suspension_aware(set);
  EXPECT_FALSE(grows.too_long);
  EXPECT_TRUE(grows.fits);
  EXPECT_FALSE(grows.settles);
  set.tasks[1].cpu = 7;
  EXPECT_FALSE(analyse_suspension_aware(set).fits);
  set.cpus = 1;
  EXPECT_FALSE(analyse_suspension_aware(set).fits);
}

TEST(Containers, OfThePapersExample) {
  const auto verdict = analyse_containers(paper_example());
  EXPECT_TRUE(verdict.schedulable());
  EXPECT_NEAR(verdict.bandwidth[0].value(), 5.0 / 6, 1e-12);
  EXPECT_NEAR(verdict.utilisation.value(), 7.0 / 6, 1e-12);
}

TEST(Containers, NameTheConditionThatFails) {
  TaskSet set = paper_example();
  set.tasks.push_back({"T8", 30, 4, 2, 6});
  EXPECT_EQ(analyse_containers(set).overfull, 0);
  set.gpus = 2;
  EXPECT_TRUE(analyse_containers(set).schedulable());
  set.cpus = 1;
  EXPECT_FALSE(analyse_containers(set).fits);
}

TEST(AllMethods, KeepToTheirRangeAtTheLargestTimes) {
  TaskSet set{64, 1, {}};
  for (int n = 0; n < 40; ++n)
    set.tasks.push_back({"T" + std::to_string(n), kLongest, kLongest / 2, kLongest / 128, kLongest / 128});
  const Verdicts verdicts = analyse(set);
  EXPECT_TRUE(verdicts.shared_resource[0].schedulable());
  EXPECT_EQ(verdicts.shared_resource[0].tasks[0].demand, kLongest / 2 + 40 * (kLongest / 128));
  for (const auto& task : verdicts.shared_resource[0].tasks) {
    EXPECT_GT(task.late, 0);
    EXPECT_LT(task.late, 64 * kLongest);
  }
  EXPECT_EQ(verdicts.containers.overfull, 0);
}

TEST(AllMethods, RefuseTheGreatestNonsense) {
  TaskSet set{1, 1, {}};
  for (size_t n = 0; n < kMostTasks; ++n)
    set.tasks.push_back({"T" + std::to_string(n), 1, kLongest, kLongest, 2 * kLongest});
  ASSERT_EQ(complaint(set), "none");
  const Verdicts verdicts = analyse(set);
  EXPECT_FALSE(verdicts.schedulable());
  EXPECT_EQ(verdicts.shared_resource[0].tasks[0].blocking, Time{kMostTasks - 1} * 2 * kLongest);
  EXPECT_FALSE(verdicts.shared_resource[0].fits);
  EXPECT_FALSE(verdicts.suspension_aware.fits);
  set.tasks.push_back(set.tasks[0]);
  EXPECT_EQ(complaint(set), "tasks: 10001, expected at most 10000");
}

Time last_end(Method method) {
  const TaskSet set = paper_example();
  return simulate(set, method, synchronous_plan(set, 1)).ended.back().end;
}

TEST(Simulator, EndsThePapersSchedulesWhereItsFiguresDo) {
  EXPECT_EQ(last_end(Method::fmlp_long), 21);   // Figure 3
  EXPECT_EQ(last_end(Method::containers), 25);  // Figure 5
}

// One GPU of four parts; times as the artifact of Ali et al., ECRTS 2024, draws them for a parallelism of rho = 8, 2
// and 1: L(h) = L(1) max(1, ceil((rho - h + 1) / h)) / rho, with L(1) = 8.
TaskSet parts_example() {
  TaskSet set{2, 1, {}, 4};
  set.tasks = {
      {"wide", 60, 4, 2, 2, {8, 4, 2, 2}}, {"half", 60, 4, 4, 4, {8, 4, 4, 4}}, {"narrow", 60, 4, 8, 8, {8, 8, 8, 8}}};
  return set;
}

TEST(Smlp, TakesNoMorePartsThanMakeATaskFaster) {
  const TaskSet set = parts_example();
  const auto taken = [&](size_t task) {
    std::vector<int> parts;
    for (int free = 1; free <= 4; ++free) parts.push_back(parts_taken(set.tasks[task], free));
    return parts;
  };
  EXPECT_THAT(taken(0), ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(taken(1), ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(taken(2), ElementsAre(1, 1, 1, 1));
}

TEST(Smlp, GivesFreePartsToTheFirstInTheQueue) {
  const TaskSet set = parts_example();
  PartQueue queue(set);
  for (const size_t task : {0u, 1u, 2u}) {
    queue.request({60, task});
    queue.grant(0);
  }
  EXPECT_THAT(queue.parts_of(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(queue.parts_of(1), ElementsAre(3));
  EXPECT_FALSE(queue.holds(2));
  queue.release(0);
  queue.grant(2);
  EXPECT_THAT(queue.parts_of(2), ElementsAre(0));
}

TEST(Smlp, PassesOverWhoWouldNotBeDoneWhenTheSliceEnds) {
  TaskSet set = parts_example();
  set.slice = 10;
  PartQueue queue(set);
  queue.request({60, 2});
  queue.request({60, 0});
  queue.grant(5);
  EXPECT_FALSE(queue.holds(2)) << "until 13";
  EXPECT_THAT(queue.parts_of(0), ElementsAre(0, 1, 2)) << "until 7";
  EXPECT_EQ(queue.next_slice(5), 10);
  queue.release(0);
  queue.grant(10);
  EXPECT_THAT(queue.parts_of(2), ElementsAre(0));
}

TEST(Smlp, BlockingIsThePartsTimeOfWhoIsAheadInTheQueueAndBeforeIt) {
  TaskSet set = parts_example();
  // Each other's at most 8 of a part's time, on four parts; more users than CPUs: twice.
  EXPECT_THAT(smlp_blocking(set), ElementsAre(2 * 16 / 4, 2 * 16 / 4, 2 * 16 / 4));
  EXPECT_THAT(analyse(set).shared_resource.back().tasks[0].demand, 4 + 8 + 8);
  set.cpus = 3;
  EXPECT_THAT(smlp_blocking(set), ElementsAre(4, 4, 4));
  set.slice = 10;  // of which 8 may be forbidden
  EXPECT_THAT(smlp_blocking(set), ElementsAre(4 + 3 * 8, 4 + 3 * 8, 4 + 3 * 8));
  EXPECT_THAT(fmlp_long_blocking(set), ElementsAre(12, 10, 6)) << "of the whole GPU";
}

TEST(Smlp, WhatMakesNoSenseWithPartsIsNamed) {
  const auto broken = [](auto change) {
    TaskSet set = parts_example();
    change(set);
    return complaint(set);
  };
  EXPECT_EQ(broken([](TaskSet&) {}), "none");
  EXPECT_EQ(broken([](TaskSet& set) { set.gpus = 2; }), "platform, gpus: 2, expected 1 where it has parts");
  EXPECT_EQ(broken([](TaskSet& set) { set.parts = 3; }),
            "task \"wide\", gpu: 4 times in a list, expected 3, one for each number of parts");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].on_parts[2] = 5; }),
            "task \"wide\", gpu: 5 ns on 3 parts, expected 1 to 4, the time on one less");
  EXPECT_EQ(broken([](TaskSet& set) { set.tasks[0].section = 3; }),
            "task \"wide\", critical_section: 3 ns, expected that on all parts: nobody copies while having parts");
  EXPECT_EQ(broken([](TaskSet& set) { set.slice = 8; }), "task \"wide\", gpu: 8 ns, expected less than the slice, 8");
  TaskSet whole = paper_example();
  whole.slice = 5;
  EXPECT_EQ(complaint(whole), "platform, slice: 5 ns, expected none without parts");
}

}  // namespace
}  // namespace samcl::analysis::locking
