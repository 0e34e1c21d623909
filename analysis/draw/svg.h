// A picture as SVG: shapes are added, later ones lie above earlier ones. Coordinates in pixels, y downwards;
// words and tooltips are escaped here, styles are SVG attributes as they stand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace samcl::analysis {

class Svg {
 public:
  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void text(double x, double y, const std::string& words, const std::string& style = "");
  // Shapes with a tooltip, if not empty.
  void rect(double x, double y, double width, double height, const std::string& style, const std::string& tooltip = "");
  void circle(double x, double y, double radius, const std::string& style, const std::string& tooltip = "");
  void polyline(std::span<const std::pair<double, double>> points, const std::string& style);

  // The whole picture, on white.
  std::string finish(double width, double height) const;

 private:
  std::string body_;
};

// The distance of an axis' ticks: round, and some eight of them in the span.
int64_t round_step(int64_t span);

// The n-th of a few colours that are distinct also for eyes that see few of them; they repeat.
const char* svg_colour(size_t n);

}  // namespace samcl::analysis
