#include "benchmarks/harness/drawing.h"

#include <gmock/gmock.h>

#include "benchmarks/harness/figure.h"
#include "benchmarks/harness/show.h"

namespace samcl::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row row_of(unsigned devices, double total_ms, std::array<double, kPhases> phases_ms) {
  Row row;
  row.program = "VectorAdd";
  row.devices = devices;
  row.total_ms = {1, total_ms, total_ms, total_ms};
  row.phases_ms = phases_ms;
  return row;
}

TEST(Drawing, StepsAreTidy) {
  EXPECT_DOUBLE_EQ(tidy_step(1, 6), 0.2);
  EXPECT_DOUBLE_EQ(tidy_step(3, 6), 0.5);
  EXPECT_DOUBLE_EQ(tidy_step(50, 5), 10);
}

TEST(Drawing, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(1230.4), "1230");
  EXPECT_EQ(short_number(7.5), "7.5");
  EXPECT_EQ(short_number(0.01234), "0.0123");
}

TEST(Bars, AreInPartsOfBaresTotal) {
  // The axis reaches to 1, which is 300 pixels: half of bare's time is a kernel, and half as high.
  const std::string svg = bars_svg({row_of(kBare, 10, {2.5, 5, 2.5, 0, 0}), row_of(2, 5, {1, 3, 1, 0, 0})});
  EXPECT_THAT(svg, HasSubstr("height=\"150.00\" fill=\"#e69f00\"><title>VectorAdd, bare: kernel 5 ms"));
  EXPECT_THAT(svg, HasSubstr("height=\"90.00\" fill=\"#e69f00\"><title>VectorAdd, 2 devices: kernel 3 ms"));
}

TEST(Bars, WhatWasNotMeasuredSaysWhy) {
  Row crashed;
  crashed.program = "VectorAdd";
  crashed.devices = 2;
  crashed.outcome = Outcome::crash;
  EXPECT_THAT(bars_svg({row_of(kBare, 10, {10, 0, 0, 0, 0}), crashed}), HasSubstr(">CRASH</text>"));
}

TEST(FigureSvg, ThereIsAPanelForEachPhase) {
  Row small = row_of(1, 4, {1, 2, 1, 0, 0}), large = row_of(1, 40, {10, 20, 10, 0, 0});
  small.parameter = 1 << 20;
  large.parameter = 1 << 24;
  const std::string svg = figure_svg(*find_figure(3), {small, large});
  for (const char* words : {"upload, ms", "kernel, ms", "download, ms", ">1M<", ">16M<", "1 device, 16M: 20 ms"})
    EXPECT_THAT(svg, HasSubstr(words));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(FigureSvg, NothingMeasuredIsSaid) {
  Row failed = row_of(1, 0, {});
  failed.parameter = 256;
  EXPECT_THAT(figure_svg(*find_figure(5), {failed}), HasSubstr("nothing was measured"));
}

}  // namespace
}  // namespace samcl::bench
