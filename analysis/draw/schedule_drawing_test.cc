#include "analysis/draw/schedule_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

TaskSet two_tasks() {
  TaskSet set;
  set.tasks = {{"P1", 12, 12, 2, {{Resource::cpu, {4}, {}}, {Resource::link, {5}, {}}}},
               {"P<2>", 18, 18, 1, {{Resource::cpu, {5}, {}}}}};
  return set;
}

Schedule both_at_zero(const TaskSet& set) {
  return schedule(set, priority_order(set), Modes{1, 1}, BehaviourPlan{{{{0, {}}}, {{0, {}}}}, {}});
}

TEST(ScheduleText, ShowsWhoHasEachElement) {
  const TaskSet set = two_tasks();
  EXPECT_EQ(schedule_text(set, both_at_zero(set), {0, 12}, 12),
            "CPU 1  AAAABBBBB...\n"
            "PCI 1  ....AAAAA...\n"
            "GPU 1  ............\n"
            "A P1   |        *\n"
            "B P<2> |        *\n"
            "       0 to 12 ns; | release, * end\n");
}

TEST(ScheduleSvg, NamesWhatRunsAndEscapesNames) {
  const TaskSet set = two_tasks();
  const std::string svg = schedule_svg(set, both_at_zero(set), {0, 12}, "a & b");
  EXPECT_THAT(svg, HasSubstr("<title>P1, job 1, stage 2: 4 ns to 9 ns</title>"));
  EXPECT_THAT(svg, HasSubstr("P&lt;2&gt;"));
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("P<2>")));
}

}  // namespace
}  // namespace samcl::analysis
