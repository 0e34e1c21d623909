#include "analysis/draw/svg.h"

#include <array>
#include <cstdio>

#include "base/xml_text.h"

namespace samcl::analysis {
namespace {

// Okabe and Ito's, then lighter ones.
constexpr std::array<const char*, 12> kColours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
                                                  "#f0e442", "#999999", "#7b5ea7", "#8c6d31", "#a6d854", "#fb9a99"};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string title(const std::string& tooltip) {
  return tooltip.empty() ? "" : "<title>" + xml_escaped(tooltip) + "</title>";
}

std::string list(std::span<const std::pair<double, double>> points) {
  std::string text;
  for (const auto& [x, y] : points) text += number(x) + "," + number(y) + " ";
  return text;
}

}  // namespace

const char* svg_colour(size_t n) { return kColours[n % kColours.size()]; }

int64_t round_step(int64_t span) {
  int64_t step = 1;
  while (span / step > 10) {
    if (span / step <= 20) return step * 2;
    if (span / step <= 50) return step * 5;
    step *= 10;
  }
  return step;
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& style) {
  body_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" " + style + "/>\n";
}

void Svg::text(double x, double y, const std::string& words, const std::string& style) {
  body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" + xml_escaped(words) + "</text>\n";
}

void Svg::rect(double x, double y, double width, double height, const std::string& style, const std::string& tooltip) {
  body_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
           number(height) + "\" " + style + ">" + title(tooltip) + "</rect>\n";
}

void Svg::circle(double x, double y, double radius, const std::string& style, const std::string& tooltip) {
  body_ += "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" " + style + ">" +
           title(tooltip) + "</circle>\n";
}

void Svg::polyline(std::span<const std::pair<double, double>> points, const std::string& style) {
  body_ += "<polyline points=\"" + list(points) + "\" fill=\"none\" " + style + "/>\n";
}

std::string Svg::finish(double width, double height) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         body_ + "</svg>\n";
}

}  // namespace samcl::analysis
