#include "analysis/experiment/chart.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace samcl::analysis {

std::string format_charts(const std::vector<Chart>& charts, int columns) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Chart& chart : charts) {
    ordered_json curves = ordered_json::array();
    for (const Curve& curve : chart.curves) curves.push_back({{"name", curve.name}, {"points", curve.points}});
    list.push_back({{"title", chart.title},
                    {"axis", chart.axis},
                    {"ticks", chart.ticks},
                    {"measure", chart.measure},
                    {"bottom", chart.bottom},
                    {"top", chart.top},
                    {"logarithmic", chart.logarithmic},
                    {"curves", std::move(curves)}});
  }
  return json_text(ordered_json{{"columns", columns}, {"charts", std::move(list)}}, 1) + "\n";
}

}  // namespace samcl::analysis
