// kUndecided: what it promises to every search that leaves choices out.
#include <gtest/gtest.h>

#include "analysis/generator/paper_sets.h"
#include "analysis/modes/candidates.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

constexpr Form kForms[] = {Form::gpu_sam, Form::gpu_sparc, Form::safe};

Modes some_modes(const TaskSet& set, Form form, Random& random) {
  const auto known = modes_of(set.platform, form);
  Modes modes;
  for (const Task& task : set.tasks) {
    int mode = 0;
    do mode = known[random() % known.size()];
    while (mode > task.largest_mode(set.platform));
    modes.push_back(mode);
  }
  return modes;
}

void expect_lower_bound(const TaskSet& set, Form form, Random& random) {
  ResponseTimeAnalysis partial(set, form), full(set, form);
  for (int n = 0; n < 12; ++n) {
    const Modes decided = some_modes(set, form, random);
    Modes open = decided;
    for (int& mode : open)
      if (random() % 2 == 0) mode = kUndecided;
    const auto least = partial.responses(open);
    const auto real = full.responses(decided);
    const Time rounding = form == Form::safe ? 2 : 0;
    for (size_t i = 0; i < least.size(); ++i)
      if (real[i] != kUnbounded) {
        EXPECT_LE(least[i], real[i] + rounding) << "task " << i;
      }
  }
}

TEST(Undecided, IsNoMoreThanAnyChoiceOfModesWhereStagesHaveThreads) {
  const uint64_t seed = 2;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Shape shape;
  shape.threads = 3;
  shape.requests = 3;
  for (int n = 0; n < 400; ++n) {
    SCOPED_TRACE("set " + std::to_string(n));
    expect_lower_bound(random_set(shape, random).set, Form::safe, random);
  }
}

TEST(Undecided, IsNoMoreThanAnyChoiceOfModesInSmallSets) {
  const uint64_t seed = 1;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Shape shape;
  for (int n = 0; n < 400; ++n) {
    const SmallSet small = random_set(shape, random);
    for (const Form form : kForms) {
      SCOPED_TRACE("set " + std::to_string(n) + ", form " + std::to_string(static_cast<int>(form)));
      expect_lower_bound(small.set, form, random);
    }
  }
}

// Every combination, below every way to leave some of its modes open.
void expect_below_all(const TaskSet& set) {
  const int count = static_cast<int>(set.tasks.size()), gpus = set.platform.gpus;
  ResponseTimeAnalysis partial(set, Form::safe), full(set, Form::safe);
  std::vector<Modes> combinations = {{}};
  for (const Task& task : set.tasks) {
    std::vector<Modes> longer;
    for (const Modes& modes : combinations)
      for (int mode = 1; mode <= task.largest_mode(set.platform); ++mode) {
        longer.push_back(modes);
        longer.back().push_back(mode);
      }
    combinations = std::move(longer);
  }
  for (unsigned open = 1; open < 1u << count; ++open)
    for (const Modes& decided : combinations) {
      Modes modes = decided;
      for (int i = 0; i < count; ++i)
        if ((open >> i & 1u) != 0) modes[static_cast<size_t>(i)] = kUndecided;
      const auto least = partial.responses(modes);
      const auto real = full.responses(decided);
      for (size_t i = 0; i < least.size(); ++i)
        if (real[i] != kUnbounded) {
          ASSERT_LE(least[i], real[i]) << "task " << i << ", open " << open << ", gpus " << gpus;
        }
    }
}

TEST(Undecided, IsNoMoreThanEveryChoiceOfModesWhereDevicesAreBound) {
  const TestSeed seed;
  Random random(seed);
  for (int n = 0; n < 500; ++n) {
    SCOPED_TRACE("set " + std::to_string(n));
    expect_below_all(random_set({3, 3, 3, 40, true, true, true}, random).set);
    if (HasFatalFailure()) return;
  }
}

TEST(Undecided, IsNoMoreThanAnyChoiceOfModesInThePapersSets) {
  const uint64_t seed = 2;
  Random random(seed);
  PaperSet wanted;
  wanted.classes = true;
  wanted.most_share = 0.3;
  wanted.dependency = 0.3;
  wanted.gpu_utilisation = 0.8;
  for (uint64_t n = 0; n < 60; ++n) {
    const TaskSet set = paper_set(wanted, n);
    for (const Form form : kForms) {
      SCOPED_TRACE("seed " + std::to_string(n) + ", form " + std::to_string(static_cast<int>(form)));
      expect_lower_bound(set, form, random);
    }
  }
}

TEST(Undecided, OfATaskWithOneModeIsThatMode) {
  TaskSet set;
  set.platform = {1, 1, 1};
  set.tasks.push_back({"P1", 100, 100, {}, {{Resource::cpu, {10}, {}}, {Resource::gpu, {20}, {}}}});
  set.tasks.push_back({"P2", 200, 200, {}, {{Resource::gpu, {30}, {}}}});
  for (const Form form : kForms) {
    ResponseTimeAnalysis analysis(set, form);
    EXPECT_EQ(analysis.worst_ratio(Modes{0, 0}), analysis.worst_ratio(Modes{1, 1}));
  }
}

}  // namespace
}  // namespace samcl::analysis
