// The figure's curves as SVG: points along the axis, shares from 0 to 1 upwards.
#include <algorithm>
#include <cstdio>

#include "analysis/draw/svg.h"
#include "analysis/experiment/results.h"

namespace samcl::analysis {
namespace {

constexpr double kLeft = 60, kTop = 40, kWidth = 520, kHeight = 300, kLegend = 110;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string stroke(const char* colour) {
  return "stroke=\"" + std::string(colour) + "\"";
}

}  // namespace

std::string curves_svg(const Figure& figure, const Tallies& tallies) {
  const double first = figure.points.front(), last = figure.points.back();
  const auto x = [&](double point) {
    return kLeft + (last > first ? (point - first) / (last - first) : 0.5) * kWidth;
  };
  const auto y = [&](double share) { return kTop + (1 - share) * kHeight; };
  const auto anchor = [](const std::string& where) { return "text-anchor=\"" + where + "\""; };
  Svg svg;
  svg.text(kLeft, 22, figure.title);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    svg.line(kLeft, y(tenth / 10.0), kLeft + kWidth, y(tenth / 10.0), stroke("#dddddd"));
    svg.text(kLeft - 8, y(tenth / 10.0) + 4, number(tenth / 10.0), anchor("end"));
  }
  for (const double point : figure.points) {
    svg.line(x(point), y(0), x(point), y(0) + 5, stroke("#555555"));
    svg.text(x(point), y(0) + 20, number(point), anchor("middle"));
  }
  svg.line(kLeft, y(0), kLeft + kWidth, y(0), stroke("#555555"));
  svg.line(kLeft, y(0), kLeft, y(1), stroke("#555555"));
  svg.text(kLeft + kWidth / 2, y(0) + 44, name(figure.axis), anchor("middle"));
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    std::vector<std::pair<double, double>> points;
    for (size_t n = 0; n < tallies.size(); ++n) {
      const auto sets = static_cast<double>(std::max<int64_t>(1, tallies[n].sets));
      const double share = static_cast<double>(tallies[n].schedulable[p]) / sets;
      points.emplace_back(x(figure.points[n]), y(share));
      svg.circle(
          x(figure.points[n]), y(share), 3, "fill=\"" + std::string(svg_colour(p)) + "\"",
          std::string(name(figure.policies[p])) + " at " + number(figure.points[n]) + ": " + number(share));
    }
    svg.polyline(points, stroke(svg_colour(p)) + " stroke-width=\"1.5\"");
    const double row = kTop + 12 + 20 * static_cast<double>(p);
    svg.line(kLeft + kWidth + 12, row - 4, kLeft + kWidth + 32, row - 4, stroke(svg_colour(p)));
    svg.text(kLeft + kWidth + 38, row, name(figure.policies[p]));
  }
  return svg.finish(kLeft + kWidth + kLegend, kTop + kHeight + 60);
}

}  // namespace samcl::analysis
