#include "sam-manager/planning/explain.h"

#include <gmock/gmock.h>

#include <numeric>

namespace samcl::planning {
namespace {

using analysis::Resource;
using analysis::Stage;
using analysis::Time;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using Kind = Term::Kind;

constexpr analysis::Handovers kCosts{100, 20, 3};

Stage stage(Resource resource, Time worst, Time section = 0) { return {resource, {worst}, {}, {section}}; }

struct ExplainTest : ::testing::Test {
  analysis::TaskSet set;
  void SetUp() override {
    set.platform.bound = true;
    set.tasks = {{"urgent", 20'000, 20'000, 3, {stage(Resource::gpu, 1000)}},
                 {"camera", 100'000, 100'000, 2, {stage(Resource::cpu, 500), stage(Resource::gpu, 4000, 800)}},
                 {"long", 100'000, 100'000, 1, {stage(Resource::gpu, 9000, 1000)}}};
  }
  std::vector<Term> explain(size_t task, const analysis::Handovers& costs) const {
    analysis::TaskSet with = set;
    for (auto& one : with.tasks) one = analysis::with_handovers(one, costs);
    EXPECT_TRUE(analysis::check(with));
    const analysis::Modes modes(set.tasks.size(), 1);
    const auto bounds = analysis::analyse(with, modes, analysis::Form::safe);
    const auto terms = planning::explain(with, modes, bounds, task, costs);
    EXPECT_EQ(std::accumulate(terms.begin(), terms.end(), Time{0},
                              [](Time sum, const Term& term) { return sum + term.time; }),
              bounds.tasks[task].response)
        << "terms add up to the bound";
    return terms;
  }
};

TEST_F(ExplainTest, TermsAreNamed) {
  EXPECT_THAT(
      explain(1, {}),
      ElementsAre(FieldsAre(Kind::own, "CPU stage 1", 500), FieldsAre(Kind::own, "GPU stage 2", 4000),
                  FieldsAre(Kind::interference, "urgent", 1000), FieldsAre(Kind::blocking, "GPU, by long", 999)));
}

TEST_F(ExplainTest, HandOversAreATermOfTheirOwn) {
  EXPECT_THAT(
      explain(1, kCosts),
      ElementsAre(FieldsAre(Kind::own, "CPU stage 1", 500), FieldsAre(Kind::own, "GPU stage 2", 4000),
                  FieldsAre(Kind::handovers, "its requests and wake-ups", 126),
                  FieldsAre(Kind::interference, "urgent", 1126), FieldsAre(Kind::blocking, "GPU, by long", 1019)));
}

TEST_F(ExplainTest, WhatStagesTakeLessTogetherIsATermOfItsOwn) {
  set.tasks[1].work = {4100};
  EXPECT_THAT(
      explain(1, kCosts),
      ElementsAre(FieldsAre(Kind::own, "CPU stage 1", 500), FieldsAre(Kind::own, "GPU stage 2", 4000),
                  FieldsAre(Kind::handovers, "its requests and wake-ups", 126),
                  FieldsAre(Kind::together, "its stages, in one job", -400),
                  FieldsAre(Kind::interference, "urgent", 1126), FieldsAre(Kind::blocking, "GPU, by long", 1019)));
}

TEST_F(ExplainTest, CpuTimeOfKernelsIsInitiation) {
  set.tasks[2].stages[0].host = {300};
  const auto terms = explain(2, {});
  EXPECT_THAT(terms[0], FieldsAre(Kind::own, "GPU stage 1", 8700));
  EXPECT_THAT(terms[1], FieldsAre(Kind::initiation, "its transfers and kernels", 300));
}

TEST_F(ExplainTest, BudgetsThatComeSoonerSinceJobsMayBeginLateAreATermOfTheirOwn) {
  set.tasks[0].late = 10;
  const auto starts = [&] {
    analysis::Time sum = 0;
    for (const Term& term : explain(2, {}))
      if (term.kind == Kind::starts) sum += term.time;
    return sum;
  };
  EXPECT_EQ(starts(), 0);
  set.tasks[0].early = set.tasks[0].period / 2;
  EXPECT_GT(starts(), 0);
}

TEST_F(ExplainTest, ThreadsAreNamedAndWaitForEachOther) {
  set.tasks[1].stages[0].threads = {3};
  const auto terms = explain(1, {});
  EXPECT_THAT(terms[0], FieldsAre(Kind::own, "CPU stage 1, 3 threads", 500));
  EXPECT_THAT(terms[2], FieldsAre(Kind::interference, "its other subtasks", 1000));
}

TEST_F(ExplainTest, WhoComputesInTheWayOfSectionsIsNamed) {
  set.tasks[0].stages = {stage(Resource::cpu, 900)};
  set.tasks[1].stages[1].host = {300};
  const auto terms = explain(1, {});
  EXPECT_THAT(terms, ::testing::Contains(FieldsAre(Kind::interference, "urgent", 900)))
      << "more urgent, on the CPU that a kernel's launch needs";
}

TEST_F(ExplainTest, UnboundedOnesHaveNoTerms) {
  set.tasks[0].stages[0] = stage(Resource::gpu, 19'999);
  const analysis::Modes modes(set.tasks.size(), 1);
  const auto bounds = analysis::analyse(set, modes, analysis::Form::safe);
  ASSERT_EQ(bounds.tasks[1].response, analysis::kUnbounded);
  EXPECT_TRUE(planning::explain(set, modes, bounds, 1, {}).empty());
}

}  // namespace
}  // namespace samcl::planning
