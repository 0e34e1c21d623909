#include "analysis/model/initiation.h"

#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

constexpr Time kMs = 1'000'000, kUs = 1000;

// The paper's numbers: 0.2 ms for a transfer of 10 ms, so alpha = ceil(95 / 10) = 10 for a period of 95 ms;
// 15 us for a launch, here of kernels of 20 ms: 5 of them.
TEST(Initiation, GrowsStagesAsInThePaper) {
  TaskSet set;
  set.tasks = {
      {"P1",
       95 * kMs,
       95 * kMs,
       {},
       {{Resource::cpu, {3 * kMs}, {}}, {Resource::link, {10 * kMs}, {}, {kMs}}, {Resource::gpu, {20 * kMs}, {}}}}};
  const TaskSet grown = with_initiation(set, {200 * kUs, 10 * kMs, 15 * kUs, 20 * kMs});
  EXPECT_EQ(grown.tasks[0].stages[0].worst[0], 3 * kMs + 10 * 200 * kUs + 5 * 15 * kUs);
  EXPECT_EQ(grown.tasks[0].stages[1].worst[0], 10 * kMs + 200 * kUs);
  EXPECT_EQ(grown.tasks[0].stages[1].section_in(1), kMs + 200 * kUs) << "it may be in one section";
  EXPECT_EQ(grown.tasks[0].stages[2].worst[0], 20 * kMs + 15 * kUs);
  EXPECT_EQ(with_initiation(set, {}).tasks[0].stages[0].worst[0], 3 * kMs);
}

}  // namespace
}  // namespace samcl::analysis
