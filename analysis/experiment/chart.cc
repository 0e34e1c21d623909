#include "analysis/experiment/chart.h"

#include <algorithm>
#include <cstdio>

#include "analysis/draw/svg.h"

namespace samcl::analysis {
namespace {

constexpr double kWidth = 520, kHeight = 300;                        // of the curves
constexpr double kLeft = 60, kTop = 40, kLegend = 160, kBelow = 60;  // around them
constexpr double kAllWidth = kLeft + kWidth + kLegend, kAllHeight = kTop + kHeight + kBelow;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string stroke(const char* colour) {
  return "stroke=\"" + std::string(colour) + "\"";
}

std::string anchor(const std::string& where) {
  return "text-anchor=\"" + where + "\"";
}

void draw(Svg& svg, const Chart& chart, double left, double top) {
  left += kLeft;
  top += kTop;
  const double first = chart.ticks.front(), last = chart.ticks.back();
  const auto x = [&](double point) {
    return left + (last > first ? (point - first) / (last - first) : 0.5) * kWidth;
  };
  const auto y = [&](double share) { return top + (1 - share) * kHeight; };
  svg.text(left, top - 18, chart.title);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    svg.line(left, y(tenth / 10.0), left + kWidth, y(tenth / 10.0), stroke("#dddddd"));
    svg.text(left - 8, y(tenth / 10.0) + 4, number(tenth / 10.0), anchor("end"));
  }
  for (const double tick : chart.ticks) {
    svg.line(x(tick), y(0), x(tick), y(0) + 5, stroke("#555555"));
    svg.text(x(tick), y(0) + 20, number(tick), anchor("middle"));
  }
  svg.line(left, y(0), left + kWidth, y(0), stroke("#555555"));
  svg.line(left, y(0), left, y(1), stroke("#555555"));
  svg.text(left + kWidth / 2, y(0) + 44, chart.axis, anchor("middle"));
  const double beside = left - 44, middle = top + kHeight / 2;
  svg.text(beside, middle, "share of schedulable sets",
           anchor("middle") + " transform=\"rotate(-90 " + number(beside) + " " + number(middle) + ")\"");
  for (size_t n = 0; n < chart.curves.size(); ++n) {
    const Curve& curve = chart.curves[n];
    std::vector<std::pair<double, double>> line;
    for (const auto& [point, share] : curve.points) {
      line.emplace_back(x(point), y(share));
      svg.circle(x(point), y(share), 3, "fill=\"" + std::string(svg_colour(n)) + "\"",
                 curve.name + " at " + number(point) + ": " + number(share));
    }
    svg.polyline(line, stroke(svg_colour(n)) + " stroke-width=\"1.5\"");
    const double row = top + 12 + 20 * static_cast<double>(n);
    svg.line(left + kWidth + 12, row - 4, left + kWidth + 32, row - 4, stroke(svg_colour(n)));
    svg.text(left + kWidth + 38, row, curve.name);
  }
}

}  // namespace

std::string charts_svg(const std::vector<Chart>& charts, int columns) {
  Svg svg;
  for (size_t n = 0; n < charts.size(); ++n)
    draw(svg, charts[n], kAllWidth * static_cast<double>(n % static_cast<size_t>(columns)),
         kAllHeight * static_cast<double>(n / static_cast<size_t>(columns)));
  const auto rows = (static_cast<int>(charts.size()) + columns - 1) / columns;
  return svg.finish(kAllWidth * std::min<double>(columns, static_cast<double>(charts.size())),
                    kAllHeight * rows);
}

}  // namespace samcl::analysis
