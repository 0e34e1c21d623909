// Curves: of shares of schedulable sets from 0 to 1, or of another measure. Written as JSON, which sam-plot draws.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace samcl::analysis {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // along the axis, measure
};

struct Chart {
  std::string title;
  std::string axis;           // what varies
  std::vector<double> ticks;  // ascending; the first and the last are the axis' ends
  std::vector<Curve> curves;
  std::string measure = "share of schedulable sets";
  double bottom = 0, top = 1;  // of the measure
  bool logarithmic = false;    // the measure's axis
};

// How to have the same numbers again, and whether they are the same.
struct Origin {
  std::string version;  // of the project
  std::string what;     // the experiment with its seed, as a journal's heading
  std::string hash;     // of the numbers as CSV
};

// One picture, the charts in rows of so many.
std::string format_charts(const std::vector<Chart>& charts, int columns = 1, const Origin& origin = {});

}  // namespace samcl::analysis
