// What pictures and JSON show of a small schedule.
#include "analysis/makespan/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/makespan/makespan_json.h"

namespace samcl::analysis::makespan {
namespace {

using testing::HasSubstr;

const Schedule kTwoWarps = {{0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {3, 1, 1}};

Kernel kernel() { return parse_kernel("LC", {{.letter = 'L', .latency = 2}}).value(); }

TEST(ScheduleText, HasALinePerWarpAndPerUnit) {
  EXPECT_EQ(schedule_text(kernel(), 2, kTwoWarps),
            "slot   0\n"
            "warp 1 L-C\n"
            "warp 2 .L-C\n"
            "unit L 11..\n"
            "unit C ..11\n");
}

TEST(ScheduleText, IsCutIntoBlocks) {
  EXPECT_THAT(schedule_text(kernel(), 2, kTwoWarps, 3),
              HasSubstr("\n\nslot   3\nwarp 1\nwarp 2 C\nunit L .\nunit C 1\n"));
}

TEST(ScheduleSvg, TellsEveryIssue) {
  const auto svg = schedule_svg(kernel(), 2, kTwoWarps, "two warps");
  ASSERT_TRUE(svg);
  EXPECT_THAT(*svg, HasSubstr("warp 2, instruction 1 (L), slot 1"));
  EXPECT_THAT(schedule_svg(kernel(), 1, Schedule(20'001), "").error().message, HasSubstr("20001 instructions"));
}

TEST(ConvergenceCharts, TellEveryPointAndItsTime) {
  double now = 0;
  const Convergence found = convergence(*parse_kernel("LCL"), 4, 2, {}, [&] { return now += 0.5; });
  const auto charts = convergence_charts(found, "LCL");
  ASSERT_EQ(charts.size(), 2);
  EXPECT_EQ(charts[0].curves[0].name, "ceil(W/y) T(y)");
  EXPECT_EQ(charts[0].curves[0].points[1], std::pair(2.0, 8.0));
  EXPECT_EQ(charts[0].curves[3].name, "exact T(W): 9");
  EXPECT_EQ(charts[1].curves[0].points[1], std::pair(2.0, 0.5));
  EXPECT_EQ(convergence_charts(convergence(*parse_kernel("LCL"), 4, 2), "LCL").size(), 1);
}

TEST(Json, HasBoundsAndSchedule) {
  const WorstCase worst = worst_case(kernel(), 2);
  const auto json = nlohmann::json::parse(format_worst_case(kernel(), 2, worst, true));
  EXPECT_EQ(json.at("exact"), true);
  EXPECT_EQ(json.at("attained"), 4);
  EXPECT_EQ(json.at("safe"), 5);
  EXPECT_EQ(json.at("schedule").size(), 4);
  EXPECT_EQ(nlohmann::json::parse(format_convergence(kernel(), convergence(kernel(), 3, 2))).at("points").size(), 2);
}

}  // namespace
}  // namespace samcl::analysis::makespan
