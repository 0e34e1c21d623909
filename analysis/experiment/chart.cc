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

std::string stroke(const char* colour) { return "stroke=\"" + std::string(colour) + "\""; }

std::string anchor(const std::string& where) { return "text-anchor=\"" + where + "\""; }

// Dashes and marks repeat after different numbers of curves.
std::string dashes(size_t n) {
  constexpr const char* kDashes[] = {"", "9 4", "2 3", "9 3 2 3"};
  const char* dash = kDashes[n % 4];
  return *dash == 0 ? "" : " stroke-dasharray=\"" + std::string(dash) + "\"";
}

void mark(Svg& svg, size_t n, double x, double y, const std::string& tooltip) {
  const std::string style = "fill=\"none\" " + stroke(svg_colour(n));
  const double size = 3 + static_cast<double>(n % 3);
  switch (n % 5) {
    case 0: return svg.circle(x, y, size, style, tooltip);
    case 1: return svg.rect(x - size, y - size, 2 * size, 2 * size, style, tooltip);
    case 2: return svg.polygon({{x, y - size}, {x + size, y + size}, {x - size, y + size}}, style, tooltip);
    case 3: return svg.polygon({{x, y - size}, {x + size, y}, {x, y + size}, {x - size, y}}, style, tooltip);
    default: return svg.polygon({{x, y + size}, {x + size, y - size}, {x - size, y - size}}, style, tooltip);
  }
}

void draw(Svg& svg, const Chart& chart, double left, double top) {
  left += kLeft;
  top += kTop;
  const double first = chart.ticks.front(), last = chart.ticks.back();
  const auto x = [&](double point) { return left + (last > first ? (point - first) / (last - first) : 0.5) * kWidth; };
  const double least = chart.bottom, most = chart.top > least ? chart.top : least + 1;
  const auto y = [&](double measure) { return top + (most - measure) / (most - least) * kHeight; };
  svg.text(left, top - 18, chart.title);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    const double at = least + (most - least) * tenth / 10.0;
    svg.line(left, y(at), left + kWidth, y(at), stroke("#dddddd"));
    svg.text(left - 8, y(at) + 4, number(at), anchor("end"));
  }
  for (const double tick : chart.ticks) {
    svg.line(x(tick), y(least), x(tick), y(least) + 5, stroke("#555555"));
    svg.text(x(tick), y(least) + 20, number(tick), anchor("middle"));
  }
  svg.line(left, y(least), left + kWidth, y(least), stroke("#555555"));
  svg.line(left, y(least), left, y(most), stroke("#555555"));
  svg.text(left + kWidth / 2, y(least) + 44, chart.axis, anchor("middle"));
  const double beside = left - 44, middle = top + kHeight / 2;
  svg.text(beside, middle, chart.measure,
           anchor("middle") + " transform=\"rotate(-90 " + number(beside) + " " + number(middle) + ")\"");
  for (size_t n = 0; n < chart.curves.size(); ++n) {
    const Curve& curve = chart.curves[n];
    std::vector<std::pair<double, double>> line;
    for (const auto& [point, share] : curve.points) {
      line.emplace_back(x(point), y(share));
      mark(svg, n, x(point), y(share), curve.name + " at " + number(point) + ": " + number(share));
    }
    svg.polyline(line, stroke(svg_colour(n)) + " stroke-width=\"1.5\"" + dashes(n));
    const double row = top + 12 + 20 * static_cast<double>(n);
    svg.line(left + kWidth + 12, row - 4, left + kWidth + 32, row - 4, stroke(svg_colour(n)) + dashes(n));
    mark(svg, n, left + kWidth + 22, row - 4, "");
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
  return svg.finish(kAllWidth * std::min<double>(columns, static_cast<double>(charts.size())), kAllHeight * rows);
}

}  // namespace samcl::analysis
