#include "tests/differential/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace differential {
namespace {

using Kind = Step::Kind;

constexpr unsigned kScenarios = 200;

std::vector<Scenario> scenarios() {
  std::vector<Scenario> made;
  for (unsigned i = 0; i < kScenarios; ++i) made.push_back(make_scenario(1, i, true));
  return made;
}

TEST(Scenario, IsDeterminedBySeedAndIndex) {
  const Scenario one = make_scenario(5, 17, true), same = make_scenario(5, 17, true);
  EXPECT_EQ(one.source, same.source);
  EXPECT_EQ(describe_steps(one), describe_steps(same));
  EXPECT_NE(one.source, make_scenario(6, 17, true).source);
  EXPECT_NE(one.source, make_scenario(5, 18, true).source);
}

TEST(Scenario, NoLaunchWritesARegionTwiceOrReadsWhatItWrites) {
  for (const Scenario& scenario : scenarios())
    for (const Step& step : scenario.steps) {
      if (step.kind != Kind::launch) continue;
      const std::set<size_t> written(step.launch.writers.begin(), step.launch.writers.end());
      EXPECT_EQ(written.size(), step.launch.writers.size()) << scenario.index;
      for (size_t region : step.launch.readers) EXPECT_FALSE(written.contains(region)) << scenario.index;
    }
}

TEST(Scenario, LaunchesFitTheSlotsAndCutInWholeGroups) {
  for (const Scenario& scenario : scenarios())
    for (const Step& step : scenario.steps) {
      if (step.kind != Kind::launch) continue;
      const Ndrange& range = step.launch.range;
      EXPECT_LE(range.items(), scenario.items) << scenario.index;
      for (unsigned d = 0; d < 3 && !range.null_local; ++d)
        EXPECT_EQ(range.global[d] % range.local[d], 0u) << scenario.index;
      if (scenario.local_bytes) {
        EXPECT_EQ(scenario.local_bytes, 4 * range.local[0] * range.local[1] * range.local[2]);
      }
    }
}

TEST(Scenario, TransfersStayInsideTheirRegions) {
  for (const Scenario& scenario : scenarios())
    for (const Step& step : scenario.steps) {
      if (step.kind == Kind::launch) continue;
      SCOPED_TRACE(scenario.index);
      const size_t last_row = step.rows ? (step.rows - 1) * step.pitch : 0;
      EXPECT_LT(step.region, scenario.regions.size());
      EXPECT_GT(step.bytes, 0u);
      EXPECT_LE(step.offset + last_row + step.bytes, scenario.region_bytes());
      if (step.kind == Kind::copy) {
        EXPECT_NE(step.from, step.region);
        EXPECT_LE(step.from_offset + step.bytes, scenario.region_bytes());
      }
      if (step.kind == Kind::fill) {
        EXPECT_EQ(step.offset % step.pattern, 0u);
        EXPECT_EQ(step.bytes % step.pattern, 0u);
      }
    }
}

TEST(Scenario, EverySecondHalfFollowsItsFirst) {
  for (const Scenario& scenario : scenarios())
    for (size_t i = 0; i < scenario.regions.size(); ++i)
      if (scenario.regions[i].home == Region::Home::second_half) {
        ASSERT_GT(i, 0u);
        EXPECT_EQ(scenario.regions[i - 1].home, Region::Home::first_half);
      }
}

// What the random kernels are for; if a change of the generator loses one of these, it must be noticed.
TEST(Scenario, TwoHundredOfThemCoverTheLanguage) {
  std::string all;
  std::set<unsigned> dimensions;
  std::set<Kind> kinds;
  size_t null_local = 0, offset = 0, changed_range = 0;
  for (const Scenario& scenario : scenarios()) {
    all += scenario.source;
    const Ndrange& first = scenario.steps[0].launch.range;
    dimensions.insert(first.dimensions);
    null_local += first.null_local;
    offset += !first.null_offset;
    for (const Step& step : scenario.steps) {
      kinds.insert(step.kind);
      changed_range += step.kind == Kind::launch && step.launch.range.global != first.global;
    }
  }
  for (const char* word : {"get_work_dim(",
                           "get_global_id(",
                           "get_global_size(",
                           "get_global_offset(",
                           "get_local_id(",
                           "get_local_size(",
                           "get_group_id(",
                           "get_num_groups(",
                           "get_global_linear_id(",
                           "get_local_linear_id(",
                           "get_enqueued_local_size(",
                           "barrier(",
                           "vstore2(",
                           "vstore3(",
                           "vstore4(",
                           "vstore8(",
                           "as_float(",
                           "record->middle",
                           "global uchar* w",
                           "global ushort* w",
                           "global uint* w",
                           "global ulong* w",
                           "ulong4*",
                           "permutation[",
                           "atomic_add(&bins",
                           "atomic_add(&counters",
                           "atomic_min(&counters",
                           "__kernel",
                           "get_group_id(i)",
                           "helper1("})
    EXPECT_NE(all.find(word), std::string::npos) << word;
  EXPECT_EQ(dimensions, (std::set<unsigned>{1, 2, 3}));
  EXPECT_EQ(kinds.size(), 9u);
  EXPECT_GT(null_local, kScenarios / 5);
  EXPECT_GT(offset, kScenarios / 5);
  EXPECT_GT(changed_range, 5u);
}

}  // namespace
}  // namespace differential
