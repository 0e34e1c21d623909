// The figure's curves as SVG: points along the axis, shares from 0 to 1 upwards.
#include <algorithm>
#include <cstdio>

#include "analysis/experiment/results.h"

namespace samcl::analysis {
namespace {

constexpr double kLeft = 60, kTop = 40, kWidth = 520, kHeight = 300, kLegend = 110;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

const char* colour(size_t policy) {
  constexpr const char* kColours[] = {"#4477aa", "#ee8866", "#228833", "#aa3377", "#222222", "#ccbb44"};
  return kColours[policy % 6];
}

std::string line(double x1, double y1, double x2, double y2, const std::string& stroke) {
  return "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
         "\" y2=\"" + coordinate(y2) + "\" stroke=\"" + stroke + "\"/>\n";
}

std::string words(double x, double y, const std::string& text, const std::string& anchor = "start") {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor + "\">" +
         text + "</text>\n";
}

}  // namespace

std::string curves_svg(const Figure& figure, const Tallies& tallies) {
  const double first = figure.points.front(), last = figure.points.back();
  const auto x = [&](double point) {
    return kLeft + (last > first ? (point - first) / (last - first) : 0.5) * kWidth;
  };
  const auto y = [&](double share) { return kTop + (1 - share) * kHeight; };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kLeft + kWidth + kLegend) +
                    "\" height=\"" + number(kTop + kHeight + 60) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += words(kLeft, 22, figure.title);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    svg += line(kLeft, y(tenth / 10.0), kLeft + kWidth, y(tenth / 10.0), "#dddddd");
    svg += words(kLeft - 8, y(tenth / 10.0) + 4, number(tenth / 10.0), "end");
  }
  for (const double point : figure.points) {
    svg += line(x(point), y(0), x(point), y(0) + 5, "#555555");
    svg += words(x(point), y(0) + 20, number(point), "middle");
  }
  svg += line(kLeft, y(0), kLeft + kWidth, y(0), "#555555") + line(kLeft, y(0), kLeft, y(1), "#555555");
  svg += words(kLeft + kWidth / 2, y(0) + 44, name(figure.axis), "middle");
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    std::string points;
    for (size_t n = 0; n < tallies.size(); ++n) {
      const auto sets = static_cast<double>(std::max<int64_t>(1, tallies[n].sets));
      const double share = static_cast<double>(tallies[n].schedulable[p]) / sets;
      points += coordinate(x(figure.points[n])) + "," + coordinate(y(share)) + " ";
      svg += "<circle cx=\"" + coordinate(x(figure.points[n])) + "\" cy=\"" + coordinate(y(share)) +
             "\" r=\"3\" fill=\"" + colour(p) + "\"><title>" + name(figure.policies[p]) + " at " +
             number(figure.points[n]) + ": " + number(share) + "</title></circle>\n";
    }
    svg += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour(p) +
           "\" stroke-width=\"1.5\"/>\n";
    const double row = kTop + 12 + 20 * static_cast<double>(p);
    svg += line(kLeft + kWidth + 12, row - 4, kLeft + kWidth + 32, row - 4, colour(p));
    svg += words(kLeft + kWidth + 38, row, name(figure.policies[p]));
  }
  return svg + "</svg>\n";
}

}  // namespace samcl::analysis
